import { describe, expect, it } from 'vitest';
import { own } from '../json.js';
import { CODE_HOST } from '../odd-code-host.fixture.js';
import { CHAT } from '../odd-documents.fixture.js';
import { readApi } from '../operations/read-api.js';
import { overlayFault, type Overlay, type OverlayAction } from './overlay.js';

const HEAD = { overlay: '1.0.0', info: { title: 'Mends', version: '1' } };
const overlay = (...actions: OverlayAction[]): Overlay => ({ ...HEAD, actions });
const read = (document: unknown, ...actions: OverlayAction[]) =>
  readApi(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)), null, overlay(...actions));
const operation = (document: unknown, name: string, ...actions: OverlayAction[]) => {
  const found = read(document, ...actions).operations.find((each) => each.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
};

/** A document whose upload says the wrong type. */
const UPLOAD = "$.paths['/files.upload'].post.requestBody";
const WRONG_TYPE = {
  ...CHAT,
  paths: {
    '/files.upload': {
      post: {
        ...CHAT.paths['/files.upload'].post,
        consumes: ['application/x-www-form-urlencoded'],
        parameters: [{ in: 'formData', name: 'file', type: 'string' }],
      },
    },
  },
};

describe('an overlay', () => {
  it('mends the type of a body, of a document that was Swagger 2', () => {
    const wrong = operation(WRONG_TYPE, 'files_upload', { target: '$.info', update: {} });
    expect(wrong.plan.body?.types).toMatchObject([{ form: 'form' }]);
    const schema = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } };
    const { plan } = operation(
      WRONG_TYPE,
      'files_upload',
      { target: `${UPLOAD}.content['application/x-www-form-urlencoded']`, remove: true },
      { target: UPLOAD, update: { content: { 'multipart/form-data': { schema } } } },
    );
    expect(plan.body).toEqual({ types: [{ type: 'multipart/form-data', form: 'multipart', files: ['file'] }] });
  });

  it('adds a security scheme that is missing', () => {
    const { facts, operations } = read(CODE_HOST, {
      target: '$',
      update: {
        components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
        security: [{ token: [] }],
      },
    });
    expect(readApi(Buffer.from(JSON.stringify(CODE_HOST)), null).facts.schemes).toEqual({});
    expect(facts.schemes.token).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(operations[0]?.plan.security).toEqual([[{ scheme: 'token', scopes: [] }]]);
  });

  it('says how a list goes on', () => {
    const paginate = { cursor: { from: '{{ $page.json.after }}', param: 'after' } };
    const { plan } = operation(CHAT, 'channels_list', {
      target: "$.paths.*[?@.operationId == 'channels_list']",
      update: { 'x-weft-paginate': paginate },
    });
    expect(plan.paging).toEqual(paginate);
  });

  it('merges objects, adds to lists, and changes only the place that it names, also where an alias of YAML has several', () => {
    const text = `
openapi: 3.1.0
info: { title: Old, version: '1' }
paths:
  /a: &item { get: { tags: [all], responses: {} } }
  /b: *item
`;
    const { facts, operations } = read(
      text,
      { target: '$.info', update: { title: 'New' } },
      { target: "$.paths['/a'].get", update: { summary: 'First', tags: ['some'] } },
      { target: "$.paths['/b'].get.tags", update: 'others' },
    );
    expect(facts).toMatchObject({ title: 'New', version: '1' });
    expect(operations.map(({ title, tags }) => [title, tags])).toEqual([
      ['First', ['all', 'some']],
      ['', ['all', 'others']],
    ]);
  });

  it('removes several elements of a list, and sees in each action what the one before has left', () => {
    const parameters = ['a', 'b', 'c', 'd'].map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
    const document = { openapi: '3.1.0', paths: { '/x': { get: { operationId: 'x', parameters, responses: {} } } } };
    const { plan } = operation(
      document,
      'x',
      { target: "$.paths.*.get.parameters[?@.name == 'a' || @.name == 'c']", remove: true, update: 'ignored' },
      { target: '$.paths.*.get.parameters[0]', update: { name: 'B' } },
    );
    expect(plan.params.map(({ name }) => name)).toEqual(['B', 'd']);
  });

  it('is reported where it finds nothing', () => {
    const { report } = read(CHAT, { target: '$.info', update: {} }, { target: '$.paths.nowhere', remove: true });
    expect(report.warnings).toContainEqual({
      path: 'overlay.actions.1',
      reason: 'finds nothing in the document: its target is $.paths.nowhere',
    });
  });

  it.each([
    [{ target: '$.info.title', update: 'New' }, 'finds a value that is neither object nor list'],
    [{ target: '$.info', update: 'New' }, 'finds an object, and its update is not one'],
    [{ target: '$', remove: true }, 'would remove the whole document'],
    [{ target: '$.paths.*.*', update: { long: 'x'.repeat(6_000_000) } }, 'adds more than 16777216 characters'],
  ])('that cannot be applied names its action: %o', (action, why) => {
    expect(() => read(CHAT, { target: '$.info', update: {} }, action)).toThrow(`overlay.actions.1 of the API ${why}`);
  });

  it('keeps the bounds of a document', () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { 'x-in': nested(levels - 1) });
    const deepen = { target: '$..x-in', update: nested(60) };
    const first = { target: '$.info', update: nested(1) };
    const deep = (actions: number) => () => read(CHAT, first, ...Array.from({ length: actions }, () => deepen));
    expect(deep(4)).toThrow('The document with the overlay of the API is nested deeper than 200 levels.');
    expect(deep(9)).toThrow('overlay.actions.5 of the API cannot be followed in the document: recursion limit');
    const many = { openapi: '3.1.0', info: { list: Array.from({ length: 10_001 }, () => ({})) }, paths: {} };
    expect(() => read(many, { target: '$.info.list[*]', update: { a: 1 } })).toThrow(
      'overlay.actions.0 of the API cannot be followed in the document: finds more than 10000 places',
    );
  });

  it('takes names that objects have for names', () => {
    const update = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"a":1}}') as object;
    const { facts } = read(CHAT, { target: '$.components.securitySchemes', update });
    expect(Object.keys(facts.schemes)).toContain('constructor');
    expect(own({}, 'polluted')).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('the faults of an overlay', () => {
  const faultOf = (given: object) => {
    const { path, message } = overlayFault({ ...HEAD, ...given }) ?? { path: null, message: null };
    return [path, message];
  };
  const target = '$.info';

  it('name the action and what is wrong with it', () => {
    expect(faultOf({ actions: [{ target, remove: true }] })).toEqual([null, null]);
    expect(faultOf({ overlay: '2.0.0', actions: [{ target, remove: true }] })).toEqual([
      'overlay',
      'must be the version of the overlay, "1.0.0"',
    ]);
    expect(faultOf({ actions: [] })).toEqual(['actions', 'must be a list of 1 to 100 actions']);
    expect(faultOf({ actions: Array.from({ length: 101 }, () => ({ target, remove: true })) })[0]).toBe('actions');
    expect(faultOf({ actions: [{ target, remove: true }, 'x'] })[0]).toBe('actions.1');
    expect(faultOf({ actions: [{ target, remove: true }, { target }] })).toEqual([
      'actions.1',
      'must have "update", or "remove": true',
    ]);
    expect(faultOf({ actions: [{ target: '$.a[', remove: true }] })).toEqual([
      'actions.0.target',
      expect.stringContaining('is not a JSONPath of RFC 9535: '),
    ]);
    expect(faultOf({ actions: [{ target, remove: 1 }] })).toEqual(['actions.0.remove', 'must be true or false']);
    expect(faultOf({ actions: [{ target: `$.${'a'.repeat(1_000)}`, remove: true }] })[0]).toBe('actions.0.target');
    expect(faultOf({ actions: [{ target, update: 'x'.repeat(140_000) }] })).toEqual([
      '',
      'must have at most 131072 characters of JSON',
    ]);
  });
});
