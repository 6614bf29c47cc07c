import { describe, expect, it } from 'vitest';
import { own } from '../json.js';
import { MAX_DOCUMENT_BYTES } from '../limits.js';
import { readApi } from '../operations/read-api.js';

const files = (texts: Record<string, string>) =>
  new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)]));
const read = (texts: Record<string, string>) => readApi(files(texts), null);
const at = (value: unknown, ...path: string[]): unknown => path.reduce(own, value);

/** The paths and components are in files, types are in circles over files, and one path leads out of the archive. */
const SHOP = {
  'shop/openapi.yaml': `
openapi: 3.0.3
info: { title: Shop, version: '1' }
paths: { $ref: paths/_index.yaml }
components:
  parameters: { $ref: 'parameters.yaml' }
  schemas:
    Order: { $ref: schemas/Order.yaml }
`,
  'shop/parameters.yaml': `
limit: { name: limit, in: query, schema: { type: integer, minimum: 0, exclusiveMinimum: true } }
`,
  'shop/paths/_index.yaml': `
/orders: { $ref: 'orders%20all.yml' }
/secrets: { $ref: '../../../etc/secrets.yaml' }
/host: { $ref: '/etc/secrets.yaml' }
/far: { $ref: 'https://far.example/paths.yaml' }
`,
  'shop/paths/orders all.yml': `
get:
  operationId: list
  parameters: [{ $ref: '../openapi.yaml#/components/parameters/limit' }]
  responses:
    200:
      description: ok
      content: { application/json: { schema: { type: array, items: { $ref: ../openapi.yaml#/components/schemas/Order } } } }
`,
  'shop/schemas/Order.yaml': `
type: object
example: { id: '1' }
properties:
  id: { type: string, nullable: true }
  lines: { type: array, items: { $ref: 'lines.json#/definitions/line' } }
  payment:
    oneOf: [{ $ref: Card.yaml }, { $ref: Cash.yaml }]
    discriminator: { propertyName: kind, mapping: { card: ./Card.yaml } }
`,
  'shop/schemas/lines.json': JSON.stringify({
    definitions: {
      line: { type: 'object', properties: { order: { $ref: './Order.yaml' }, of: { $ref: '#/definitions/kind' } } },
      kind: { type: 'string' },
    },
  }),
  'shop/schemas/Card.yaml': 'type: object\nproperties: { number: { type: string } }',
  'shop/schemas/Cash.yaml': 'type: object\nproperties: { order: { $ref: Order.yaml } }',
  'shop/unused.yaml': '{ not yaml',
};

describe('the files of an archive', () => {
  it('are one document, in which types of different files refer to each other', () => {
    const { operations, report } = read(SHOP);
    const list = operations.find(({ name }) => name === 'list');
    const defs = own(list?.outSchema, '$defs');
    expect(Object.keys(defs as object).sort()).toEqual(['Card', 'Cash', 'Order', 'kind', 'line']);
    expect(at(defs, 'Order', 'properties', 'lines', 'items')).toEqual({ $ref: '#/$defs/line' });
    expect(at(defs, 'line', 'properties')).toEqual({ order: { $ref: '#/$defs/Order' }, of: { $ref: '#/$defs/kind' } });
    expect(at(defs, 'Cash', 'properties', 'order')).toEqual({ $ref: '#/$defs/Order' });
    // converted as OpenAPI 3.0, wherever it is
    expect(at(defs, 'Order', 'properties', 'id', 'type')).toEqual(['string', 'null']);
    expect(at(list?.argsSchema, 'properties', 'query', 'properties', 'limit')).toMatchObject({ exclusiveMinimum: 0 });
    expect(report.warnings).toEqual([]);
  });

  it('give the values of a discriminator that names files', () => {
    const { operations } = read(SHOP);
    const choices = at(operations[0]?.outSchema, '$defs', 'Order', 'properties', 'payment', 'oneOf') as object[];
    expect(choices).toMatchObject([
      { $ref: '#/$defs/Card', properties: { kind: { const: 'card' } } },
      { $ref: '#/$defs/Cash', properties: { kind: { const: 'Cash' } } },
    ]);
  });

  it('are all that is read: what is outside of them is skipped with its reason', () => {
    const { operations, report } = read({ ...SHOP, 'etc/secrets.yaml': 'get: { responses: {} }' });
    expect(operations.map(({ name }) => name)).toEqual(['list']);
    expect(report.skipped).toEqual([
      { path: '#/paths/~1secrets', reason: 'refers to "../../../etc/secrets.yaml", which is outside of the document' },
      { path: '#/paths/~1host', reason: 'refers to "/etc/secrets.yaml", which is outside of the document' },
      { path: '#/paths/~1far', reason: 'refers to "https://far.example/paths.yaml", which is outside of the document' },
    ]);
  });

  it('have names of their own where only the ending or the folder differs', () => {
    const ok = (ref: string) => `{ content: { application/json: { schema: { $ref: ${ref} } } } }`;
    const { operations } = read({
      'openapi.yaml': `{ openapi: 3.1.0, paths: { /a: { get: { responses: {
        200: ${ok('a.yaml')}, 201: ${ok('a.json')}, 202: ${ok('b/a.yaml')} } } } } }`,
      'a.yaml': 'title: first',
      'a.json': '{"title":"second"}',
      'b/a.yaml': 'title: third',
    });
    const defs = Object.values(own(operations[0]?.outSchema, '$defs') as object);
    expect(defs).toEqual([{ title: 'first' }, { title: 'second' }, { title: 'third' }]);
  });

  it('are refused together where they are larger than a document may be, or one cannot be read', () => {
    const refers = (path: string) => `{ openapi: 3.1.0, paths: { /a: { $ref: ${path} } } }`;
    const long = JSON.stringify({ x: 'x'.repeat(MAX_DOCUMENT_BYTES - 20) });
    expect(() => read({ 'openapi.yaml': refers('a.json'), 'a.json': long })).toThrow(
      `The files of the document have more than ${MAX_DOCUMENT_BYTES} bytes.`,
    );
    expect(() => read({ 'openapi.yaml': refers('a.yaml'), 'a.yaml': '{' })).toThrow(
      'The file "a.yaml" is neither JSON nor YAML',
    );
    expect(() => read({ 'openapi.yaml': '{ openapi: 3.1.0, paths: { $ref: a.yaml } }' })).toThrow(
      '"paths" of the document refers to "a.yaml", which is outside of the document.',
    );
  });
});

/** Of Swagger 2.0: each kind of part is in a file of its own, and types are in a circle over files. */
const CHAT = {
  'swagger.yaml': `
swagger: '2.0'
info: { title: Chat, version: '1' }
host: chat.example
paths:
  /rooms: { $ref: paths/rooms.yaml }
  /rooms/{id}: { get: { $ref: 'paths/room.yaml#/get' }, parameters: [{ $ref: '#/parameters/id' }] }
parameters:
  id: { $ref: 'parts.yaml#/parameters/id' }
responses: { $ref: 'parts.yaml#/responses' }
definitions:
  Room: { $ref: types/Room.yaml }
  Note: { type: object, x-nullable: true }
`,
  'paths/rooms.yaml': `
post:
  operationId: makeRoom
  parameters: [{ $ref: ../parts.yaml#/parameters/room }]
  responses: { 200: { $ref: ../parts.yaml#/responses/room }, 404: { $ref: '../swagger.yaml#/responses/gone' } }
`,
  'paths/room.yaml': `
get:
  operationId: readRoom
  responses: { 200: { $ref: ../parts.yaml#/responses/room }, default: { $ref: nowhere.yaml } }
`,
  'parts.yaml': `
parameters:
  id: { name: id, in: path, required: true, type: string }
  room: { name: room, in: body, required: true, schema: { $ref: types/Room.yaml } }
responses:
  room: { description: ok, schema: { $ref: types/Room.yaml } }
  gone: { description: gone, schema: { type: object, properties: { error: { type: string } } } }
`,
  'types/Room.yaml': `
type: object
required: [name]
properties:
  name: { type: string, x-nullable: true }
  inside: { $ref: types.json#/Rooms }
  note: { $ref: '../swagger.yaml#/definitions/Note' }
`,
  'types/types.json': JSON.stringify({ Rooms: { type: 'array', items: { $ref: 'Room.yaml' } } }),
};

describe('the files of a document of Swagger 2.0', () => {
  it('have their operations, parameters, bodies and answers in their places', () => {
    const { operations, facts } = read(CHAT);
    expect(operations.map(({ name, plan: { path } }) => [name, path])).toEqual([
      ['makeRoom', '/rooms'],
      ['readRoom', '/rooms/{id}'],
    ]);
    const [make, one] = operations;
    expect(facts.servers).toEqual([{ url: 'http://chat.example' }]);
    expect(make?.plan.body?.types).toEqual([{ type: 'application/json', form: 'json' }]);
    expect(make?.argsSchema).toMatchObject({ required: ['body'] });
    expect(make?.plan.errors['404']).toMatchObject({ properties: { error: { type: 'string' } } });
    expect(one?.plan.params).toEqual([{ name: 'id', in: 'path', style: 'simple', explode: false }]);
  });

  it('have types in circles over files, converted as those of the document', () => {
    const { operations } = read(CHAT);
    for (const { outSchema } of operations) {
      const defs = own(outSchema, '$defs');
      expect(Object.keys(defs as object).sort()).toEqual(['Note', 'Rooms', 'types_Room.yaml']);
      expect(at(defs, 'Rooms', 'items')).toEqual({ $ref: '#/$defs/types_Room.yaml' });
      expect(at(defs, 'types_Room.yaml', 'properties', 'name', 'type')).toEqual(['string', 'null']);
      expect(at(defs, 'types_Room.yaml', 'properties', 'inside')).toEqual({ $ref: '#/$defs/Rooms' });
    }
  });

  it('are refused where they are larger in their places than a document may be', () => {
    const part = { get: { responses: {}, description: 'x'.repeat(1024 * 1024) } };
    const paths = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`/${i}`, { $ref: 'part.json' }]));
    expect(() =>
      read({ 'swagger.json': JSON.stringify({ swagger: '2.0', paths }), 'part.json': JSON.stringify(part) }),
    ).toThrow(`The parts of the document have more than ${MAX_DOCUMENT_BYTES} bytes in their places.`);
  });
});

describe('the file with which a document begins', () => {
  const document = '{ openapi: 3.1.0, info: { title: This }, paths: {} }';
  const title = (texts: Record<string, string>) => read(texts).facts.title;

  it('is that with the name, nearest to the root, else the only one that says a version', () => {
    expect(title({ 'a/b/openapi.json': '{}', 'a/Swagger.yml': document, 'a/other.yaml': document })).toBe('This');
    expect(title({ 'api/shop.yaml': `# ours\n${document}`, 'api/part.yaml': 'type: object' })).toBe('This');
    expect(title({ 'shop.json': '{"openapi":"3.1.0","info":{"title":"This"},"paths":{}}' })).toBe('This');
  });

  it('is asked for where there are several, or none', () => {
    expect(() => title({ 'a/v2.yaml': document, 'v1.yaml': document, 'part.yaml': 'x: 1' })).toThrow(
      'The archive has 2 files with which a document may begin: a/v2.yaml, v1.yaml. Name the right one',
    );
    expect(() => title({ 'x/openapi.json': document, 'x/openapi.yaml': document })).toThrow(
      'x/openapi.json, x/openapi.yaml',
    );
    expect(() => title({ 'x/part.yaml': 'x: 1' })).toThrow('files in JSON or YAML: x/part.yaml.');
    expect(() => title({})).toThrow('files in JSON or YAML: none.');
  });
});
