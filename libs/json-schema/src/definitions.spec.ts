import { describe, expect, it } from 'vitest';
import { schemaFaults } from './schema-faults.js';
import { valueFaults } from './value-faults.js';

const tree = {
  type: 'object',
  properties: { root: { $ref: '#/$defs/node' } },
  $defs: {
    node: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/node' } } },
      additionalProperties: false,
    },
  },
};
const said = (schema: object, value: unknown, options: Parameters<typeof valueFaults>[2] = {}): string[] =>
  valueFaults(schema as typeof tree, value, options).map(({ path, message }) => `${path} ${message}`);
const placesOf = (schema: object): string[] => schemaFaults(schema as typeof tree).map(({ path }) => path);

describe('a reference', () => {
  it('judges a value by the definition that it names, as deep as the value is', () => {
    expect(schemaFaults(tree)).toEqual([]);
    expect(said(tree, { root: { name: 'a', kids: [{ name: 'b', kids: [] }] } })).toEqual([]);
    expect(said(tree, { root: { name: 'a', kids: [{ name: 'b', kids: [{ nmae: 'c' }] }] } })).toEqual([
      'args.root.kids.0.kids.0.name is required',
      'args.root.kids.0.kids.0.nmae is not one of the args; did you mean name?',
    ]);
  });

  it('holds together with what stands next to it', () => {
    const schema = { $ref: '#/$defs/a', required: ['y'], $defs: { a: { required: ['x'] } } };
    expect(said(schema, {})).toEqual(['args.y is required', 'args.x is required']);
  });

  it('may name a definition with a slash, and no field that all objects have', () => {
    const schema = { properties: { a: { $ref: '#/$defs/x~1y' } }, $defs: { 'x/y': { type: 'string' } } };
    expect(placesOf(schema)).toEqual([]);
    expect(said(schema, { a: 1 })).toEqual(['args.a must be string']);
    expect(placesOf({ properties: { a: { $ref: '#/$defs/toString' } }, $defs: {} })).toEqual([
      'argsSchema.properties.a.$ref',
    ]);
  });

  it.each([
    [{ $ref: '#/$defs/none' }, 'argsSchema.$ref'],
    [{ $ref: '#' }, 'argsSchema.$ref'],
    [{ $ref: 'https://example.com/x.json' }, 'argsSchema.$ref'],
    [{ properties: { a: { $defs: {} } } }, 'argsSchema.properties.a.$defs'],
    [{ $defs: { a: { $ref: '#/$defs/a' } } }, 'argsSchema.$defs.a'],
    [
      { $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { anyOf: [{}, { $ref: '#/$defs/a' }] } } },
      'argsSchema.$defs.a',
    ],
    [{ $defs: { a: { tpye: 'string' } } }, 'argsSchema.$defs.a.tpye'],
  ])('that cannot be judged by is refused with the place: %j', (schema, path) => {
    expect(placesOf(schema)).toEqual([path]);
  });
});

describe('the schema of a peer', () => {
  const theirs = { root: 'body', isForeign: true };

  it('leaves to the peer what cannot be judged in bounded time', () => {
    expect(said({ pattern: '(a+)+$' }, `${'a'.repeat(40)}b`, theirs)).toEqual([]);
    expect(said({ pattern: '(' }, 'a', theirs)).toEqual([]);
    expect(said({ pattern: '^[a-z]+$' }, 'a'.repeat(300), theirs)).toEqual([]);
    expect(said({ pattern: '^[a-z]+$' }, 'A', theirs)).toEqual(['body must match ^[a-z]+$']);
  });

  it('takes a value that fits several choices, and none that fits none', () => {
    const schema = { oneOf: [{ type: 'number' }, { type: 'integer' }] };
    expect(said(schema, 1)).toEqual(['args fits 2 choices, not one']);
    expect(said(schema, 1, theirs)).toEqual([]);
    expect(said(schema, 'x', theirs)).toEqual(['body fits none of the choices']);
  });

  it('ends for circles and bombs, whatever they multiply', () => {
    const circles = { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } };
    expect(said(circles, {}, theirs)).toEqual([]);
    const levels = Array.from({ length: 40 }, (_, i) => {
      const next = { $ref: `#/$defs/l${i + 1}` };
      return [`l${i}`, i === 39 ? { type: 'string' } : { allOf: [next, next] }] as const;
    });
    const bomb = { $ref: '#/$defs/l0', $defs: Object.fromEntries(levels) };
    const before = process.cpuUsage();
    expect(said(bomb, 'x', theirs)).toEqual([]);
    expect(said(bomb, 1, theirs)[0]).toBe('body must be string');
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });

  it('stops after as many steps as one value is judged by, with the faults that it has found', () => {
    const rows = Array.from({ length: 150_000 }, (_, i) => (i === 3 ? 'x' : 1));
    expect(said({ items: { type: 'number' } }, rows, theirs)).toEqual(['body.3 must be number']);
  });
});
