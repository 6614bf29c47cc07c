import { describe, expect, it } from 'vitest';
import { STORAGE } from '../odd-documents.fixture.js';
import { readApi } from '../operations/read-api.js';
import { compareImports } from './compare-imports.js';
import { compareSchemas } from './compare-schemas.js';

const operations = (document: unknown) => readApi(Buffer.from(JSON.stringify(document)), null).operations;

function documentOf(schema: object, schemas: object, place: 'args' | 'out' = 'args'): object {
  const content = { content: { 'application/json': { schema } } };
  const post = place === 'args' ? { requestBody: content } : { responses: { 200: { description: 'ok', ...content } } };
  return { openapi: '3.1.0', components: { schemas }, paths: { '/a': { post } } };
}

/** Each change as a text: what breaks has a `!`. */
function changes(before: object, after: object, place: 'args' | 'out' = 'args'): string[] {
  const document = ({ defs = {}, ...schema }: { defs?: object }) => documentOf(schema, defs, place);
  return compareImports(operations(document(before)), operations(document(after))).flatMap((difference) =>
    difference.changes.map(({ path, what, breaks }) => `${path} ${what}${breaks ? ' !' : ''}`),
  );
}
const fields = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
/** About as many as fit into the schemas of an operation. */
const MANY = Array.from({ length: 3_000 }, (_, i) => i);

describe('two imports', () => {
  it('that are the same have no difference, also with other texts and in another order', () => {
    const { paths } = STORAGE;
    const post = { ...paths['/folders'].post, summary: 'New', description: 'text' };
    const after = {
      ...STORAGE,
      servers: [{ ...STORAGE.servers[0], description: 'new' }],
      paths: Object.fromEntries([...Object.entries({ ...paths, '/folders': { post } })].reverse()),
    };
    expect(compareImports(operations(STORAGE), operations(after))).toEqual([]);
  });

  it('differ in operations that came and went, and in what is sent', () => {
    const { '/folders': folders, '/schema#add': _, ...paths } = STORAGE.paths;
    const after = {
      ...STORAGE,
      paths: {
        ...paths,
        '/new': { get: { operationId: 'new' } },
        '/directories': folders,
        '/files/content': { post: { ...paths['/files/content'].post, servers: [{ url: 'https://other.example' }] } },
      },
    };
    expect(compareImports(operations(STORAGE), operations(after))).toEqual([
      { operation: 'put_schema_add', result: 'removed', changes: [] },
      {
        operation: 'post_files_content',
        result: 'breaking',
        changes: [{ place: 'plan', path: 'servers', what: 'values', breaks: true }],
      },
      { operation: 'new', result: 'added', changes: [] },
      {
        operation: 'post_folders',
        result: 'changed',
        changes: [{ place: 'plan', path: 'path', what: 'values', breaks: false }],
      },
    ]);
  });

  it('break where a type of the body is not taken any more', () => {
    const body = (...types: string[]) => ({
      openapi: '3.1.0',
      paths: {
        '/a': { post: { requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) } } },
      },
    });
    const [difference] = compareImports(
      operations(body('application/json', 'text/plain')),
      operations(body('application/json')),
    );
    expect(difference?.changes).toContainEqual({
      place: 'plan',
      path: 'body.text/plain',
      what: 'removed',
      breaks: true,
    });
  });
});

describe('args', () => {
  it.each([
    [
      'a field that must be given',
      fields({ a: text }),
      fields({ a: text, b: text }, { required: ['b'] }),
      ['body.b added !'],
    ],
    ['a field that may be given', fields({ a: text }), fields({ a: text, b: text }), ['body.b added']],
    ['a field that is gone', fields({ a: text, b: text }), fields({ a: text }), ['body.b removed !']],
    [
      'a field that must be given now',
      fields({ a: text }),
      fields({ a: text }, { required: ['a'] }),
      ['body.a required !'],
    ],
    [
      'a field that need not be given',
      fields({ a: text }, { required: ['a'] }),
      fields({ a: text }),
      ['body.a optional'],
    ],
    ['a narrower type', fields({ a: { type: ['string', 'null'] } }), fields({ a: text }), ['body.a type !']],
    ['a wider type', fields({ a: { type: 'integer' } }), fields({ a: { type: 'number' } }), ['body.a type']],
    [
      'a value that is gone',
      fields({ a: { enum: ['x', 'y'] } }),
      fields({ a: { enum: ['y', 'z'] } }),
      ['body.a values !'],
    ],
    ['a value more', fields({ a: { enum: ['x'] } }), fields({ a: { enum: ['x', 'y'] } }), ['body.a values']],
    ['a narrower bound', fields({ a: { maxLength: 9 } }), fields({ a: { maxLength: 8 } }), ['body.a bounds !']],
    ['a wider bound', fields({ a: { minimum: 2 } }), fields({ a: { minimum: 1 } }), ['body.a bounds']],
    ['a pattern', fields({ a: text }), fields({ a: { ...text, pattern: '^x' } }), ['body.a bounds !']],
    ['elements', fields({ a: { items: text } }), fields({ a: { items: { type: 'number' } } }), ['body.a.* type !']],
    ['no further fields', fields({}), fields({}, { additionalProperties: false }), ['body.* removed !']],
    [
      'a choice that is gone',
      { anyOf: [text, { type: 'null' }, fields({})] },
      { anyOf: [text, { type: 'null' }] },
      ['body choices !'],
    ],
    [
      'a choice more',
      { anyOf: [text, { type: 'null' }] },
      { anyOf: [text, { type: 'null' }, fields({})] },
      ['body choices'],
    ],
  ] as const)('break by %s or not', (_, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });
});

describe('an answer', () => {
  it.each([
    ['a field that is gone', fields({ a: text, b: text }), fields({ a: text }), ['body.b removed !']],
    ['a field more', fields({ a: text }), fields({ a: text, b: text }, { required: ['b'] }), ['body.b added']],
    [
      'a field that may be missing',
      fields({ a: text }, { required: ['a'] }),
      fields({ a: text }),
      ['body.a optional !'],
    ],
    ['a wider type', fields({ a: text }), fields({ a: { type: ['string', 'null'] } }), ['body.a type !']],
    ['a narrower type', fields({ a: { type: ['string', 'null'] } }), fields({ a: text }), ['body.a type']],
    ['a value more', fields({ a: { enum: ['x'] } }), fields({ a: { enum: ['x', 'y'] } }), ['body.a values']],
    [
      'a choice more',
      { anyOf: [text, { type: 'null' }] },
      { anyOf: [text, { type: 'null' }, fields({})] },
      ['body choices !'],
    ],
  ] as const)('breaks by %s or not', (_, before, after, expected) => {
    expect(changes(before, after, 'out')).toEqual(expected);
  });
});

describe('schemas', () => {
  it('that refer to themselves are compared once, by what they say and not by where they say it', () => {
    const node = (name: object) => ({
      Node: fields({ name, kids: { type: 'array', items: { $ref: '#/components/schemas/Node' } } }),
    });
    const before = { $ref: '#/components/schemas/Node', defs: node(text) };
    expect(changes(before, { ...before, defs: node({ type: 'number' }) })).toEqual(['body.name type !']);
    const inline = {
      allOf: [
        fields({ name: text }),
        fields({ kids: { type: 'array', items: { $ref: '#/components/schemas/Node' } } }),
      ],
      defs: node(text),
    };
    expect(changes(before, inline)).toEqual([]);
  });

  it('that multiply are compared once for each two definitions', () => {
    const bomb = (last: object) =>
      Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => {
          const next = { $ref: `#/components/schemas/l${i + 1}` };
          return [`l${i}`, i === 19 ? last : fields({ x: fields({ z: next }), y: { anyOf: [next, next] } })] as const;
        }),
      );
    const schema = { $ref: '#/components/schemas/l0' };
    const started = process.cpuUsage();
    expect(changes({ ...schema, defs: bomb(text) }, { ...schema, defs: bomb({ type: 'number' }) })).toEqual([
      expect.stringMatching(/^body\..* type !$/),
    ]);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });

  it.each([
    ['values', { enum: Array.from({ length: 25_000 }, (_, i) => i) }, { maxLength: 1 }],
    ['choices', { anyOf: MANY.map((i) => ({ maximum: i })) }, { anyOf: [...MANY.map((i) => ({ maximum: i })), {}] }],
    ['fields', fields(Object.fromEntries(MANY.map((i) => [`g${i}`, true]))), { maxLength: 1 }],
  ])('that refer to one with many %s again and again are compared in bounded time', (_, large, more) => {
    const uses = Object.fromEntries(MANY.map((i) => [`f${i}`, { allOf: [{ $ref: '#/$defs/Large' }] }]));
    const schemaWith = (extra: object) => ({ ...fields(uses), $defs: { Large: { ...large, ...extra } } });
    const [before, after] = [schemaWith({}), schemaWith(more)];
    const started = process.cpuUsage();
    expect(compareSchemas('args', before, after)).toContainEqual(expect.objectContaining({ what: 'unknown' }));
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });

  it('with long names have changes with short paths, whose end says that they are cut', () => {
    const wide = (type: string) =>
      fields({
        ['x'.repeat(100_000)]: fields(Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`f${i}`, { type }]))),
      });
    const found = changes(wide('string'), wide('number'));
    expect(found).toHaveLength(99);
    for (const each of found) expect(each).toMatch(/^body\.x{495}… type !$/);
  });

  it('with more changes than are listed have the first 200, and what is too much to compare may break', () => {
    const wide = (type: string) =>
      fields(Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`f${i}`, { type }])));
    expect(changes(wide('string'), wide('number'))).toHaveLength(200);
    const huge = (last: object) =>
      fields({ ...Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`f${i.toString(36)}`, {}])), last });
    expect(changes(huge({}), huge(text))).toEqual([expect.stringMatching(/^body\.f\w+ unknown !$/)]);
  });
});
