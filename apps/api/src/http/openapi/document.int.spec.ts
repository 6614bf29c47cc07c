import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { namesOf, operationsOf, type OpenApiDocument } from '../../../../../test/api/described-operations.js';
import { createAjv, faultsOf, schemaCompiler } from '../../../../../test/api/json-schema.js';
import { liveApi } from '../../../../../test/api/live-api.js';

const { send } = await liveApi();
const document = (await send('GET', '/api/openapi.json')).body as unknown as OpenApiDocument;
const operations = operationsOf(document);
const schemas = document.components.schemas ?? {};

/** Every schema of the document that has a path of its own, by that path. */
function schemasAt(value: unknown, at: string): [string, object][] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (name === 'example') return [];
    return name === 'schema' ? [[at, inner as object]] : schemasAt(inner, `${at}/${name}`);
  });
}

const placed = [
  ...schemasAt(document, ''),
  ...Object.entries(schemas).map(([name, schema]): [string, object] => [name, schema]),
];

describe('the OpenAPI document', () => {
  it('is valid by the schema of OpenAPI 3.1', async () => {
    const file = new URL('../../../../../test/api/openapi-3.1.schema.json', import.meta.url);
    const validate = createAjv().compile(JSON.parse(await readFile(file, 'utf8')) as object);
    expect(faultsOf(validate, document)).toEqual([]);
  });

  it('has no schema that JSON Schema 2020-12 would not understand', () => {
    const compile = schemaCompiler(schemas);
    const wrong = placed.flatMap(([at, schema]) => {
      try {
        compile(schema);
        return [];
      } catch (error) {
        return [`${at}: ${(error as Error).message}`];
      }
    });
    expect(placed.length).toBeGreaterThan(200);
    expect(wrong).toEqual([]);
  });

  it('has patterns that other languages can read, too', () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text]) => JSON.parse(String(text)) as string,
    );
    expect(patterns.length).toBeGreaterThan(5);
    expect(patterns.filter((pattern) => /\\p\{|\\0/i.test(pattern))).toEqual([]);
    for (const pattern of patterns) expect([new RegExp(pattern), new RegExp(pattern, 'u')]).toHaveLength(2);
  });

  it('says where it is served, under which terms, and what its tags are about', () => {
    expect(document.servers).toMatchObject([{ url: '/', description: expect.any(String) as string }]);
    expect(document.info.license).toMatchObject({ name: expect.any(String) as string });
    const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []));
    expect(namesOf(operations.filter(({ operation }) => operation.tags?.length !== 1))).toEqual([]);
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
    expect(document.tags.filter(({ description = '' }) => description.length < 20)).toEqual([]);
  });

  it('names the sockets, which it cannot describe', () => {
    expect(document['x-sockets'].map(({ path }) => path)).toEqual(['/ws/plays/{play_id}', '/api/ws', '/socket.io']);
    expect(document.info.description).toContain('`x-alias`');
  });

  it('says that a body has no other fields, unless it is free', () => {
    const open = operations.filter(({ operation: { requestBody } }) => {
      const schema = requestBody?.content['application/json']?.schema;
      const named = schema?.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1) ?? ''];
      return named && 'properties' in named && !('additionalProperties' in named);
    });
    expect(namesOf(open)).toEqual([]);
    expect(schemas.RunBody).toMatchObject({ additionalProperties: false });
    const { settings } = (schemas.CreateFlowBody as { properties: { settings: object } }).properties;
    expect(JSON.stringify(settings)).toContain('$ref');
    expect(schemas.FlowSettingsBody).toMatchObject({ additionalProperties: false });
  });

  it('demands a body only where a field of it is needed', () => {
    const wrong = operations.filter(({ operation: { requestBody } }) => {
      const schema = requestBody?.content['application/json']?.schema;
      const named = schema?.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1) ?? ''];
      return requestBody !== undefined && (requestBody.required ?? false) !== (named?.required !== undefined);
    });
    expect(namesOf(wrong)).toEqual([]);
  });
});

function parameter(operationId: string, name: string): object | undefined {
  const found = operations.find(({ operation }) => operation.operationId === operationId);
  return found?.operation.parameters?.find((each) => each.name === name);
}

describe('a parameter', () => {
  it('says what it is for', () => {
    const silent = operations.filter(({ operation }) => operation.parameters?.some((each) => !each.description));
    expect(namesOf(silent)).toEqual([]);
  });

  it('that takes several values is a list with commas', () => {
    for (const id of ['Plays_list', 'FlowPlays_list']) {
      expect(parameter(id, 'state')).toMatchObject({
        style: 'form',
        explode: false,
        schema: { type: 'array', items: { type: 'string', enum: expect.arrayContaining(['DONE']) as unknown } },
      });
    }
  });

  it('that must not be missing or empty says so', () => {
    expect(parameter('Scheduler_preview', 'schedule')).toMatchObject({ required: true, schema: { minLength: 1 } });
    expect(parameter('Kv_list', 'prefix')).toMatchObject({ required: false, schema: { minLength: 1 } });
  });
});

/** What a schema refers to, directly or through others. */
function reachedFrom(schema: object | undefined, reached = new Set<string>()): ReadonlySet<string> {
  for (const [, name] of JSON.stringify(schema ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (reached.has(String(name))) continue;
    reached.add(String(name));
    reachedFrom(schemas[String(name)], reached);
  }
  return reached;
}

// `npm run check:clients` generates clients; the tests run where there is no Python, and look for what such generators cannot read
describe('a generator of clients', () => {
  it('finds no schema that refers to itself: openapi-python-client leaves out each operation that uses one', () => {
    expect(Object.keys(schemas).filter((name) => reachedFrom(schemas[name]).has(name))).toEqual([]);
  });

  it('finds bodies of types that it knows', () => {
    const known = ['application/json', 'application/octet-stream', 'multipart/form-data'];
    const unknown = operations.filter(({ operation: { requestBody } }) =>
      Object.keys(requestBody?.content ?? {}).some((type) => !known.includes(type)),
    );
    expect(namesOf(unknown)).toEqual([]);
  });

  it('finds no default of a parameter that other parameters exclude: openapi-python-client sends all defaults', () => {
    expect(Object(parameter('Flows_list', 'page'))).toHaveProperty('schema');
    expect(Object(parameter('Flows_list', 'page'))).not.toHaveProperty('schema.default');
  });

  it('finds every schema reached from a path: oapi-codegen leaves out the others, and what refers to them does not compile', () => {
    const reached = reachedFrom({ paths: document.paths, responses: document.components.responses });
    expect(Object.keys(schemas).filter((name) => !reached.has(name))).toEqual([]);
  });

  it('finds one schema for all refusals', () => {
    const refused = Object.values(document.components.responses ?? {}).map((each) => each.content);
    const body = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
    expect(new Set(refused.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(body)]));
  });

  it('is told that webhooks need no credential of Weft', () => {
    const hooks = Object.values(document.webhooks).map(({ post }) => post);
    expect(hooks.length).toBeGreaterThan(5);
    for (const hook of hooks) expect(hook?.security).toEqual([]);
  });
});

describe('the comparison with behaviour (npm run check:api)', () => {
  it('excepts only operations that are there, and every list with a cursor', async () => {
    const file = new URL('../../../../../tools/api/schemathesis.toml', import.meta.url);
    const excepted = new Set([...(await readFile(file, 'utf8')).matchAll(/"([A-Z]\w+_\w+)"/g)].map(([, id]) => id));
    const ids = operations.map(({ operation: { operationId } }) => operationId);
    expect([...excepted].filter((id) => !ids.includes(id as string))).toEqual([]);
    expect(ids.filter((id) => parameter(id, 'cursor') && !excepted.has(id))).toEqual([]);
  });
});

describe('a schema', () => {
  it('lets a value of the caller’s own be any JSON value, null too', () => {
    const compile = schemaCompiler(schemas);
    const { value } = (schemas.SetKvBody as { properties: Record<string, object> }).properties;
    const { out } = (schemas.PlayLayer as { properties: Record<string, object> }).properties;
    for (const schema of [value, out]) {
      const validate = compile(schema as object);
      for (const each of [null, 1, 'x', true, [], {}]) expect(faultsOf(validate, each)).toEqual([]);
    }
  });

  it('refuses keys that no body may have, at the top of a free object', () => {
    const compile = schemaCompiler(schemas);
    const { args } = (schemas.RunBody as { properties: Record<string, object> }).properties;
    const validate = compile(args as object);
    expect(faultsOf(validate, { a: [{ b: { $c: 1 } }] })).toEqual([]);
    for (const key of ['_bsontype', 'nul\0']) expect(faultsOf(validate, { [key]: 1 })).not.toEqual([]);
  });

  it('names the actions that an audit entry can tell of', () => {
    expect(schemas.AuditEntry).toMatchObject({
      properties: { action_type: { enum: expect.arrayContaining(['flow_created', 'migration_run']) as unknown } },
    });
  });
});
