import { expect, it } from 'vitest';
import { firstInput } from './first-input';

const $defs = {
  Order: {
    type: 'object',
    required: ['customer', 'to'],
    properties: { customer: {}, to: { $ref: '#/$defs/Place' }, note: {} },
  },
  Place: { type: 'object', required: ['street'], properties: { street: {} } },
};
const group = (properties: object, required: readonly string[]) => ({ type: 'object', properties, required });

it.each<[string, object, object | undefined]>([
  ['nothing where nothing is required', group({ query: group({ limit: {} }, []) }, []), undefined],
  [
    'what a path, a query and a body require, and no more',
    group(
      {
        path: group({ id: {} }, ['id']),
        query: group({ 'page size': {}, limit: {} }, ['page size']),
        body: { $ref: '#/$defs/Order' },
      },
      ['path', 'query', 'body'],
    ),
    {
      path: { id: '{{ $prev.args.id }}' },
      query: { 'page size': '{{ $prev.args.`page size` }}' },
      body: { customer: '{{ $prev.args.customer }}', to: '{{ $prev.args.to }}' },
    },
  ],
  [
    'a body as a whole where it is a list, or one of several',
    group({ body: { oneOf: [{ $ref: '#/$defs/Order' }, { $ref: '#/$defs/Place' }] } }, ['body']),
    { body: '{{ $prev.args.body }}' },
  ],
  [
    'the first of a choice',
    group({ contentType: { enum: ['application/json', 'text/csv'] }, headers: group({ v: { const: 2 } }, ['v']) }, [
      'contentType',
      'headers',
    ]),
    { contentType: 'application/json', headers: { v: 2 } },
  ],
])('a new flow gives an operation %s', (_, schema, expected) => {
  expect(firstInput({ ...schema, $defs })).toEqual(expected);
});
