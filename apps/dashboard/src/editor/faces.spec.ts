import { expect, it } from 'vitest';
import { aDraft } from './draft.fixture';
import { aFace } from './face.fixture';
import { faceKeyOf, outShapeOf } from './faces';

const named = (args: object, appId = 'operation') => aDraft('order', { appId, args: { ...args } });
const CREATE = { api: 'shop', operation: 'createOrder', digest: 'd' };

it('names what a layer calls by its module, and then as the server does', () => {
  expect(faceKeyOf(named(CREATE))).toBe('operation shop/createOrder@d');
  expect(faceKeyOf(named({ ...CREATE, digest: undefined }))).toBe('operation shop/createOrder');
  const tool = { server: 'wiki', tool: 'search', digest: 'd' };
  expect(faceKeyOf(named(tool, 'mcp-tool'))).toBe('mcp-tool wiki/search@d');
  expect([named({}), named({ api: '', operation: '' }), named(CREATE, 'kv')].map(faceKeyOf)).toEqual([
    null,
    null,
    null,
  ]);
});

it('describes an output by the operation, also of pages; by the module where nothing more is known', () => {
  const faces = new Map([['operation shop/createOrder@d', aFace()]]);
  const shapeOf = (args: object) => outShapeOf(named(args), [], faces);
  expect(shapeOf(CREATE)).toEqual(aFace().outSchema);
  expect(shapeOf({ ...CREATE, paginate: { link: true } })).toEqual({
    type: 'object',
    properties: {
      pages: {
        type: 'array',
        items: { type: 'object', properties: { statusCode: { type: 'integer' }, json: { $ref: '#/$defs/Order' } } },
      },
      count: { type: 'integer' },
    },
    $defs: { Order: {} },
  });
  const refusing = new Map([
    ['shop/createOrder@d', aFace({ errors: { 422: { properties: { faults: { type: 'array' } } } } })],
  ]);
  const goesOn = { ...named(CREATE), onError: 'continue' as const };
  expect(outShapeOf(goesOn, [], refusing).properties).toEqual({
    statusCode: { type: 'integer' },
    body: { anyOf: [{ $ref: '#/$defs/Order' }, { properties: { faults: { type: 'array' } } }] },
  });
  expect(outShapeOf(named(CREATE), [], refusing)).toEqual(aFace().outSchema);
  const module = {
    ...{ appId: 'kv', title: '', description: '', icon: '', argsSchema: {}, examples: [] },
    outSchema: { a: 1 },
  };
  expect(outShapeOf(named({}, 'kv'), [module], faces)).toEqual({ a: 1 });
  expect(shapeOf({})).toEqual({});
});
