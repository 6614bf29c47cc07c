import { valueFaults } from '@weft/json-schema';
import { describe, expect, it } from 'vitest';
import { own } from '../json.js';
import { CODE_HOST } from '../odd-code-host.fixture.js';
import { CHAT, MANY_FILES, MESSAGES, STORAGE, TRANSLATION } from '../odd-documents.fixture.js';
import type { Operation } from './plan.js';
import { readApi } from './read-api.js';

const read = (document: unknown, from: string | null = null) =>
  readApi(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)), from);
function operation(document: unknown, name: string): Operation {
  const found = read(document).operations.find((each) => each.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
}
const at = (schema: unknown, ...path: string[]): unknown => path.reduce(own, schema);
const faults = ({ argsSchema }: Operation, input: unknown): string[] =>
  valueFaults(argsSchema, input, { root: 'input', isForeign: true }).map(({ path, message }) => `${path} ${message}`);

describe('a Swagger 2 document', () => {
  it('becomes operations with a body, in which nobody needs to give the token that the link has', () => {
    const post = operation(CHAT, 'chat_post');
    expect(post.plan).toMatchObject({
      method: 'POST',
      path: '/chat.post',
      servers: [{ url: 'https://chat.example/api' }],
      params: [{ name: 'token', in: 'header', style: 'simple', explode: false }],
      body: { types: [{ type: 'application/x-www-form-urlencoded', form: 'form' }] },
      ok: ['200'],
      security: [[{ scheme: 'chatAuth', scopes: ['chat:write'] }]],
    });
    expect(faults(post, { body: { channel: 'C1' } })).toEqual([]);
    expect(faults(post, { body: {} })).toEqual(['input.body.channel is required']);
    expect(read(CHAT).facts.schemes.chatAuth).toMatchObject({
      type: 'oauth2',
      flows: { authorizationCode: { tokenUrl: 'https://chat.example/api/oauth.access' } },
    });
  });

  it('has files in forms, lists in one parameter, and a cursor that is proposed', () => {
    expect(operation(CHAT, 'files_upload').plan.body).toEqual({
      types: [{ type: 'multipart/form-data', form: 'multipart', files: ['file'] }],
    });
    const { plan } = operation(CHAT, 'channels_list');
    expect(plan.params).toEqual([
      { name: 'token', in: 'query', style: 'form', explode: true },
      { name: 'cursor', in: 'query', style: 'form', explode: true },
      { name: 'types', in: 'query', style: 'form', explode: false },
    ]);
    expect(plan.paging).toEqual({
      cursor: { from: '{{ $page.json.response_metadata.next_cursor }}', param: 'cursor' },
    });
    expect(at(plan.errors, 'default', 'properties')).toEqual({ error: { type: 'string' } });
  });
});

describe('an OpenAPI 3.0 document', () => {
  it('keeps names with signs, the server of a path, and says what may be null', () => {
    const { plan, outSchema } = operation(MESSAGES, 'ListMessage');
    expect(plan.params.map(({ name }) => name)).toEqual(['AccountSid', 'DateSent<', 'DateSent>']);
    expect(plan.servers).toEqual([{ url: 'https://api.messages.example' }]);
    expect(plan.security).toEqual([[{ scheme: 'login', scopes: [] }]]);
    expect(plan.paging).toEqual({ next: '{{ $page.json.next_page_uri }}' });
    expect(at(outSchema, '$defs', 'message', 'properties', 'sid')).toEqual({ type: ['string', 'null'] });
    expect(at(outSchema, 'properties', 'body', 'properties', 'messages', 'items')).toEqual({ $ref: '#/$defs/message' });
  });

  it('judges the input by place, so that one name may be in several', () => {
    const list = operation(MESSAGES, 'ListMessage');
    expect(faults(list, { path: { AccountSid: 'AC12ef' }, query: { 'DateSent<': 'x' } })).toEqual([]);
    expect(faults(list, { path: { AccountSid: 'x' }, query: { DateSent: 'x' } })).toEqual([
      'input.path.AccountSid must match ^AC[0-9a-f]{4}$',
      'input.query.DateSent is not one of the fields; did you mean DateSent<, DateSent>?',
    ]);
    expect(faults(list, {})).toEqual(['input.path is required']);
  });

  it('tells operations of one path apart that differ after a #, which is not sent', () => {
    const puts = read(STORAGE).operations.filter(({ plan }) => plan.method === 'PUT');
    expect(puts.map(({ name, plan }) => [name, plan.path, plan.body?.types[0]?.type])).toEqual([
      ['put_schema_add', '/schema', 'application/json'],
      ['put_schema_update', '/schema', 'application/json-patch+json'],
    ]);
  });

  it('has a body in parts, another server for it, and files as answers', () => {
    const upload = operation(STORAGE, 'post_files_content');
    expect(upload.plan.servers).toEqual([{ url: 'https://upload.storage.example/api/2.0' }]);
    expect(faults(upload, { body: { attributes: { name: 'a' }, file: { $ref: 'x' } } })).toEqual([]);
    expect(faults(upload, { body: { attributes: {}, file: 5 } })).toEqual([
      'input.body.attributes.name is required',
      'input.body.file must be object or string',
    ]);
    const { plan, outSchema } = operation(STORAGE, 'get_files_id_content');
    // without "access_token", which the link sends
    expect(plan.params.map(({ name }) => name)).toEqual(['id']);
    expect([plan.ok, plan.accept]).toEqual([['200', '202', '302'], ['application/octet-stream']]);
    expect(at(outSchema, 'properties', 'body')).toMatchObject({ anyOf: [{ format: 'binary' }, { type: 'null' }] });
  });

  it('asks for no field that the server sets, and shows it in answers', () => {
    const create = operation(STORAGE, 'post_folders');
    expect(faults(create, { body: { type: 'folder' } })).toEqual([]);
    expect(Object.keys(at(create.argsSchema, '$defs', 'item', 'properties') as object)).toEqual(['type', 'parent']);
    expect(at(create.outSchema, '$defs', 'item', 'required')).toEqual(['id', 'type']);
  });
});

describe('the pages of a list', () => {
  const integer = (more: object = {}) => ({ type: 'integer', ...more });
  const list = { type: 'array', items: { type: 'object' } };
  const pagingOf = (params: Readonly<Record<string, object>>, schema: object, more: object = {}) =>
    operation(
      {
        openapi: '3.1.0',
        paths: {
          '/things': {
            get: {
              operationId: 'list',
              parameters: Object.entries(params).map(([name, each]) => ({ name, in: 'query', schema: each })),
              responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } },
              ...more,
            },
          },
        },
      },
      'list',
    ).plan.paging;
  const object = (properties: object) => ({ type: 'object', properties });

  it('are proposed by the address of the next one, also where only a choice has it', () => {
    const pages = { anyOf: [object({ next: { type: 'string' } }), object({ prev: { type: 'string' } })] };
    const cloud = { allOf: [object({ droplets: list }), object({ links: object({ pages }) })] };
    expect(pagingOf({ page: integer(), per_page: integer() }, cloud)).toEqual({
      next: '{{ $page.json.links.pages.next }}',
    });
  });

  it('are proposed by their number, from where the document begins', () => {
    expect(pagingOf({ page: integer({ default: 1 }) }, list)).toEqual({
      cursor: { from: '{{ $page.index + 2 }}', param: 'page' },
      until: '{{ $count($page.json) = 0 }}',
    });
    expect(pagingOf({ page: integer({ minimum: 0 }) }, object({ total: integer(), results: list }))).toEqual({
      cursor: { from: '{{ $page.index + 1 }}', param: 'page' },
      until: '{{ $count($page.json.results) = 0 }}',
    });
  });

  it('are proposed by the place of their first element where the document says how many there are', () => {
    expect(
      pagingOf({ offset: integer(), limit: integer({ default: 20, maximum: 100 }) }, object({ items: list })),
    ).toEqual({
      cursor: { from: '{{ ($page.index + 1) * 100 }}', param: 'offset' },
      until: '{{ $count($page.json.items) < 100 }}',
      size: { param: 'limit', value: 100 },
    });
    expect(pagingOf({ offset: integer(), limit: integer() }, list)).toBeUndefined();
  });

  it('are proposed by the last element, and as the document states it', () => {
    const params = { starting_after: { type: 'string' }, limit: integer() };
    expect(pagingOf(params, object({ data: list, has_more: { type: 'boolean' } }))).toEqual({
      cursor: { from: '{{ $page.json.has_more ? $page.json.data[-1].id : null }}', param: 'starting_after' },
    });
    const stated = { cursor: { from: '{{ $page.json.n }}', param: 'n' }, until: '{{ $page.json.last }}' };
    expect(pagingOf({ page: integer() }, list, { 'x-weft-paginate': stated })).toEqual(stated);
  });

  it('are not proposed where it is not clear what the elements are', () => {
    expect(pagingOf({ page: integer() }, object({ a: list, b: list }))).toBeUndefined();
    expect(pagingOf({ page: integer() }, object({ 'a b': list }))).toBeUndefined();
    expect(pagingOf({ page: integer({ default: 7 }) }, list)).toBeUndefined();
    expect(pagingOf({}, list)).toBeUndefined();
  });
});

describe('what the operations have in common', () => {
  const use = (security: object[], tags: string[]) => ({
    get: { security, tags, responses: { 200: { description: 'ok' } } },
  });
  it('is counted: how callers sign in with which scopes, and the tags', () => {
    const { facts } = read({
      openapi: '3.1.0',
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'k' } } },
      paths: {
        '/a': use([{ oauth: ['read'] }], ['people']),
        '/b': use([{ oauth: ['read', 'write'] }, {}], ['people', 'people', 'orders']),
        '/c': use([{ key: [], app: [] }], []),
        '/d': use([], ['orders', 'people']),
      },
    });
    expect(facts.security).toEqual([
      { schemes: ['oauth'], scopes: ['read', 'write'], operations: 2 },
      { schemes: ['key', 'app'], scopes: [], operations: 1 },
    ]);
    expect(facts.tags).toEqual([
      { name: 'people', operations: 3 },
      { name: 'orders', operations: 2 },
    ]);
  });

  it('is bounded', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [
        `/p${i}`,
        use(
          [{ [`scheme${i % 30}`]: Array.from({ length: 200 }, (__, n) => `${i}-${n}`) }, { ['x'.repeat(9_000)]: [] }],
          [`tag${i}`],
        ),
      ]),
    );
    const { security = [], tags = [] } = read({ openapi: '3.1.0', paths }).facts;
    expect([security.length, security[0]?.scopes.length, tags.length]).toEqual([20, 100, 200]);
    expect(JSON.stringify(security).length).toBeLessThan(200_000);
  });
});

describe('a YAML document', () => {
  it('has merged fields, servers with variables, JSON first, and text as an answer', () => {
    const { facts, operations, report } = read(TRANSLATION);
    expect(facts.servers[1]).toEqual({
      url: 'https://{plan}.translate.example',
      variables: { plan: { default: 'free', enum: ['free', 'trial'] } },
    });
    expect(facts.schemes.key).toMatchObject({ type: 'apiKey', in: 'header', name: 'Authorization' });
    const [translate, entries, remove] = operations;
    expect(translate?.plan.body?.types.map(({ type }) => type)).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
    ]);
    expect(Object.keys(translate?.plan.errors ?? {})).toEqual(['4XX']);
    expect(at(translate?.argsSchema, 'properties', 'contentType')).toEqual({
      enum: ['application/json', 'application/x-www-form-urlencoded'],
    });
    expect(at(translate?.argsSchema, 'properties', 'body', 'anyOf')).toHaveLength(2);
    expect(entries?.plan.params.map(({ name }) => name)).toEqual(['id']);
    expect(at(entries?.outSchema, 'properties', 'body')).toEqual({ type: 'string' });
    expect(at(remove?.outSchema, 'properties', 'body')).toEqual({ type: 'null' });
    expect(report).toEqual({ operations: 3, skipped: [], skippedCount: 0, warnings: [], warningsCount: 0 });
  });
});

describe('an OpenAPI 3.1 document', () => {
  it('keeps recursive types as references', () => {
    const { plan, outSchema } = operation(CODE_HOST, 'issues_list-labels');
    expect(plan.paging).toEqual({ link: true });
    expect(at(outSchema, '$defs')).toEqual({
      label: {
        type: ['object', 'null'],
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/label' } } },
      },
    });
  });

  it('says by a discriminator which choice is meant', () => {
    const create = operation(CODE_HOST, 'issues_create-label');
    expect(at(create.argsSchema, 'properties', 'body', 'oneOf')).toEqual([
      { $ref: '#/$defs/cat', properties: { kind: { const: 'c' } }, required: ['kind'] },
      { $ref: '#/$defs/dog', properties: { kind: { const: 'dog' } }, required: ['kind'] },
    ]);
    const path = { owner: 'weft' };
    expect(faults(create, { path, body: { kind: 'c', lives: 9 } })).toEqual([]);
    expect(faults(create, { path, body: { kind: 'bird' } })).toEqual(['input.body fits none of the choices']);
  });

  it('names an operation without an id by its method and path', () => {
    const assets = operation(CODE_HOST, 'post_assets');
    expect(assets.plan).toMatchObject({
      servers: [{ url: 'https://uploads.code.example' }],
      body: { types: [{ form: 'binary' }] },
    });
    expect(faults(assets, { query: { name: 'x' }, body: { $ref: 'f' } })).toEqual([]);
    expect(faults(assets, { query: { name: 'x' } })).toEqual(['input.body is required']);
  });
});

describe('what cannot be taken', () => {
  it('is skipped with its place and reason, and nothing outside of the document is read', () => {
    const { operations, report } = read(MANY_FILES, 'https://cloud.example/openapi.yaml');
    expect(operations).toEqual([]);
    expect(report.skipped).toEqual([
      {
        path: '#/paths/~1v2~1tags/get',
        reason: 'refers to "resources/tags/list.yml", which is outside of the document',
      },
      {
        path: '#/paths/~1v2~1tags/post',
        reason: 'refers to "http://169.254.169.254/latest", which is outside of the document',
      },
      { path: '#/paths/~1v2~1regions', reason: 'refers to "file:///etc/passwd", which is outside of the document' },
    ]);
  });

  it('takes nothing else along', () => {
    const document = {
      openapi: '3.1.0',
      servers: [{ url: 'ftp://x.example' }, { url: '/v1' }],
      paths: {
        noSlash: {},
        '/a': {
          trace: { responses: {} },
          get: {
            parameters: [
              { name: 'x', in: 'body' },
              {
                name: 'q',
                in: 'query',
                style: 'matrix',
                schema: { minLength: '3', type: 'text', description: 5, not: {} },
              },
              { name: 'bad header', in: 'header', schema: {} },
            ],
            requestBody: { $ref: '#/components/requestBodies/none' },
          },
          put: { requestBody: { content: {} } },
        },
      },
    };
    const { operations, report, facts } = read(document, 'https://x.example/a/openapi.json');
    expect(operations.map(({ name }) => name)).toEqual(['put_a']);
    expect(facts.servers).toEqual([{ url: 'https://x.example/v1' }]);
    expect(report.skipped.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      '#/paths/noSlash is not a path: it does not begin with a slash',
      '#/paths/~1a/trace has the method TRACE, which cannot be called',
      '#/paths/~1a/get refers to "#/components/requestBodies/none", which the document does not have',
    ]);
    expect(report.warnings.map(({ path }) => path)).toEqual([
      '#/servers',
      '#/paths/~1a/get/parameters/0',
      '#/paths/~1a/get/parameters/1/minLength',
      '#/paths/~1a/get/parameters/1/type',
      '#/paths/~1a/get/parameters/1/description',
      '#/paths/~1a/get/parameters/1',
      '#/paths/~1a/get/parameters/2',
    ]);
  });

  it('is a reference to what all objects have', () => {
    const schema = { $ref: '#/components/schemas/constructor' };
    const post = { requestBody: { content: { 'application/json': { schema } } } };
    const { report } = read({ openapi: '3.1.0', paths: { '/a': { post } }, components: { schemas: {} } });
    expect(report.warnings.map(({ reason }) => reason)).toEqual([
      'refers to "#/components/schemas/constructor", which the document does not have; any value is taken there',
    ]);
  });

  it('lists the first of many warnings with the same reason, and hides no others', () => {
    const paths = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`/p${i}/{id}`, { get: {} }]));
    const { report } = read({
      openapi: '3.1.0',
      paths: { ...paths, '/q': { get: { parameters: [{ name: 'x', in: 'body' }] } } },
    });
    expect(report.warnings).toHaveLength(21);
    expect(report.warnings.at(-1)?.path).toBe('#/paths/~1q/get/parameters/0');
    expect(report.warningsCount).toBe(301);
  });

  it.each([
    ['', /not an object/],
    ['{"a": 1}', /no field "openapi" or "swagger"/],
    ['{"swagger": "1.2", "paths": {}}', /says version 1.2/],
    ['{"openapi": "3.1.0"}', /no "paths"/],
    ['openapi: 3.1.0\npaths: [', /neither JSON nor YAML/],
    [Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    [Buffer.alloc(16 * 1024 * 1024 + 1, ' '), /16777217 bytes; 16777216 are allowed/],
  ])('refuses a document as a whole with what to do: %#', (bytes, message) => {
    expect(() => readApi(Buffer.from(bytes), null)).toThrow(message);
  });

  it('refuses more operations than an import may have', () => {
    const paths = Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`/p${i}`, { get: {} }]));
    expect(() => read({ openapi: '3.1.0', paths })).toThrow('The document has 5001 operations; 5000 are allowed.');
  });
});

describe('names', () => {
  const named = (ids: readonly (string | undefined)[]): string[] =>
    read({
      openapi: '3.1.0',
      paths: Object.fromEntries(
        ids.map((operationId, i) => [`/p/{x}/${i % 2}${'#'.repeat(i)}`, { get: { operationId } }]),
      ),
    }).operations.map(({ name }) => name);

  it('are those of the document where they are unique, and never empty or the same', () => {
    expect(named(['a/b', 'twice', 'twice', undefined, '__proto__', '…'])).toEqual([
      'a_b',
      'get_p_x_1',
      'get_p_x_0',
      'get_p_x_1_2',
      'proto',
      'get_p_x_1_3',
    ]);
  });
});

describe('a digest', () => {
  const renamed = (change: (post: typeof STORAGE.paths) => void): string => {
    const document = structuredClone(STORAGE);
    change(document.paths);
    return operation(document, 'post_folders').digest;
  };
  const before = operation(STORAGE, 'post_folders').digest;

  it('is the same where only texts for people differ, or the order of fields', () => {
    expect(
      renamed((paths) => Object.assign(paths['/folders'].post, { summary: 'x', description: 'y', tags: ['z'] })),
    ).toBe(before);
    const reordered = { ...STORAGE, paths: Object.fromEntries(Object.entries(STORAGE.paths).reverse()) };
    expect(operation(reordered, 'post_folders').digest).toBe(before);
  });

  it('is another one where what is sent or answered differs, also in a field called "description"', () => {
    const document = structuredClone(STORAGE) as { components: { schemas: { item: { properties: object } } } };
    Object.assign(document.components.schemas.item.properties, { description: { type: 'string' } });
    const described = operation(document, 'post_folders').digest;
    expect(described).not.toBe(before);
    Object.assign(document.components.schemas.item.properties, { description: { type: 'number' } });
    expect(operation(document, 'post_folders').digest).not.toBe(described);
    expect(renamed((paths) => Object.assign(paths['/folders'].post, { security: [] }))).not.toBe(before);
  });
});

describe('schemas that all lead to each other', () => {
  it('are kept as far as there is room, the nearest ones first, with a warning', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 600 }, (_, i) => {
        const properties = {
          text: { type: 'string', description: 'x'.repeat(1_000) },
          next: { $ref: `#/components/schemas/s${(i + 1) % 600}` },
        };
        return [`s${i}`, { type: 'object', properties }] as const;
      }),
    );
    const paths = {
      '/a': {
        post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/s0' } } } } },
      },
    };
    const { operations, report } = read({ openapi: '3.1.0', paths, components: { schemas } });
    const [operationA] = operations;
    expect(JSON.stringify(operationA?.argsSchema).length).toBeLessThan(260 * 1024);
    expect(at(operationA?.argsSchema, '$defs', 's100', 'properties', 'next')).toEqual({ $ref: '#/$defs/s101' });
    expect(report.warnings).toEqual([
      {
        path: '#/paths/~1a/post',
        reason: 'has schemas of more than 262144 characters; the farthest ones take any value',
      },
    ]);
  });
});

describe('what a document says without end', () => {
  it('skips an operation that cannot be sent for its length, and takes the others', () => {
    const paths = { [`/${'a'.repeat(70_000)}`]: { get: {} }, '/b': { get: {} } };
    const { operations, report } = read({ openapi: '3.1.0', paths });
    expect(operations.map(({ name }) => name)).toEqual(['get_b']);
    expect(report.skipped).toMatchObject([
      { reason: expect.stringMatching(/^has 70\d{3} characters of path/) as string },
    ]);
  });

  it('repeats no long name in a report', () => {
    const name = 'x'.repeat(50_000);
    const parameters = [{ $ref: `#/components/parameters/${name}` }, { $ref: `#/components/parameters/gone${name}` }];
    const schema = { $ref: `#/components/schemas/${name}` };
    const paths = {
      '/a': { get: { parameters } },
      '/b': { post: { requestBody: { content: { 'application/json': { schema } } } } },
      '/c': { get: { responses: { 200: { $ref: `#/components/schemas/${name}` } } } },
    };
    const { report } = read({
      openapi: '3.1.0',
      paths,
      components: { parameters: { [name]: 7 }, schemas: { [name]: 7 } },
    });
    const found = [...report.skipped, ...report.warnings];
    expect(found.length).toBeGreaterThan(2);
    for (const { reason } of found) expect(reason.length).toBeLessThan(400);
  });

  it('leaves out security schemes, and servers, beyond its bound', () => {
    const name = (i: number): string => `s${i}${'x'.repeat(10_000)}`;
    const many = Array.from({ length: 10 }, (_, i) => i);
    const securitySchemes = Object.fromEntries(many.map((i) => [name(i), { type: 'http', scheme: 'basic' }]));
    const servers = many.map((i) => ({
      url: `https://s${i}.example/{v}`,
      variables: { v: { default: 'a', enum: ['a', 'b'.repeat(10_000)] } },
    }));
    const { facts, report } = read({
      openapi: '3.1.0',
      paths: { '/b': { get: {} } },
      components: { securitySchemes },
      servers,
    });
    expect(Object.keys(facts.schemes)).toHaveLength(6);
    expect(facts.servers).toHaveLength(3);
    expect(report.warnings.map(({ path }) => path)).toEqual(['#/components/securitySchemes', '#/servers']);
  });
});
