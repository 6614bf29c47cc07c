import { nearestNames } from '@weft/expressions';
import { describe, expect, it, vi } from 'vitest';
import { patternFault } from './bounded-pattern.js';
import { schemaFaults } from './schema-faults.js';
import { valueFaults } from './value-faults.js';

const order = {
  type: 'object',
  properties: {
    id: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
    amount: { type: 'number', exclusiveMinimum: 0, maximum: 1_000 },
    kind: { enum: ['new', 'old'] },
    lines: {
      type: 'array',
      maxItems: 2,
      items: { type: 'object', required: ['sku'], properties: { sku: { type: 'string', minLength: 1 } } },
    },
    to: { oneOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['id'],
  additionalProperties: false,
};
const said = (args: unknown, schema: object = order, near = nearestNames): string[] =>
  valueFaults(schema as typeof order, args, { near }).map(({ path, message }) => `${path} ${message}`);

describe('args', () => {
  it('that fit a schema have no fault', () => {
    expect(schemaFaults(order)).toEqual([]);
    expect(said({ id: 'AB-7', amount: 1, kind: 'new', lines: [{ sku: 'a' }], to: null })).toEqual([]);
  });

  it('that do not fit have the path of each fault, and what is near', () => {
    expect(said({ id: 'x', amount: 0, kind: 'odd', lines: [{}, { sku: '' }], to: 1, amuont: 2 })).toEqual([
      'args.id must match ^[A-Z]{2}-\\d+$',
      'args.amount must be above 0',
      'args.kind must be one of ["new","old"]',
      'args.lines.0.sku is required',
      'args.lines.1.sku must have at least 1 characters',
      'args.to fits none of the choices',
      'args.amuont is not one of the args; did you mean amount?',
    ]);
    expect(said({})).toEqual(['args.id is required']);
    expect(said([])).toEqual(['args must be object']);
  });

  it('have as many characters as people see', () => {
    const schema = { minLength: 2, maxLength: 2 };
    expect(said('😀😀', schema)).toEqual([]);
    expect(said('😀', schema)).toEqual(['args must have at least 2 characters']);
    expect(said('😀😀a', schema)).toEqual(['args must have at most 2 characters']);
    expect(said('ab', schema)).toEqual([]);
  });

  it('that are too much to judge are refused, however a schema multiplies them', () => {
    const nested = (depth: number): object =>
      depth === 0 ? { required: ['never'] } : { anyOf: Array.from({ length: 4 }, () => nested(depth - 1)) };
    expect(said({}, nested(4))).toEqual(['args fits none of the choices']);
    const wide = { anyOf: Array.from({ length: 20 }, () => ({ additionalProperties: { type: 'null' } })) };
    const args = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [i.toString(36), 1]));
    expect(said(args, wide)).toHaveLength(1);
    const texts = { additionalProperties: { pattern: '^[^@]+@[^@]+$' } };
    expect(said(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 'a@b'])), texts).at(-1)).toMatch(
      /is more than a run is judged by/,
    );
  });

  it('with thousands of unknown names are compared with what is near for ten of them', () => {
    const names = (count: number, first: string): readonly string[] =>
      Array.from({ length: count }, (_, i) => `${first}${i}`.padEnd(64, 'x'));
    const properties = Object.fromEntries(names(200, 'a').map((name) => [name, {}]));
    const args = Object.fromEntries(names(7_500, 'b').map((name) => [name, 1]));
    const near = vi.fn(nearestNames);
    expect(said(args, { properties, additionalProperties: false }, near)).toHaveLength(50);
    expect(near).toHaveBeenCalledTimes(10);
    const choices = { anyOf: [{ properties, additionalProperties: false }, { type: 'array' }] };
    expect(said(args, choices, near)).toEqual(['args fits none of the choices']);
    expect(near).toHaveBeenCalledTimes(10);
  });

  it('are compared with the values of enum and const as deeply as these are counted', () => {
    const large = (last: number): readonly number[] => [...Array.from({ length: 50 }, () => 1), last];
    const choices = Array.from({ length: 77 }, (_, i) => large(i));
    const tooMuch = /is more than a run is judged by/;
    for (const items of [{ enum: choices }, { anyOf: [{ const: choices }, { enum: choices }] }]) {
      const schema = { properties: { list: { items } } };
      expect(said({ list: [large(76)] }, schema)).toEqual([]);
      expect(said({ list: Array.from({ length: 1_300 }, () => large(76)) }, schema)).toEqual([
        expect.stringMatching(tooMuch),
      ]);
    }
    const types = { items: { type: [...Array.from({ length: 3_000 }, () => 'null'), 'number'] } };
    expect(
      said(
        Array.from({ length: 1_000 }, () => 1),
        types,
      ),
    ).toEqual([expect.stringMatching(tooMuch)]);
  });

  it('make no text of choices that are not answered', () => {
    const choice = { toJSON: vi.fn(() => 'shown') };
    const list = Array.from({ length: 1_000 }, () => 1);
    expect(said(list, { items: { anyOf: [{ enum: [choice] }, { const: choice }, {}] } })).toEqual([]);
    expect(choice.toJSON).not.toHaveBeenCalled();
    expect(said(list, { items: { enum: [choice] } })).toHaveLength(50);
    expect(choice.toJSON).toHaveBeenCalledTimes(50);
  });
});

describe('a schema', () => {
  it.each([
    [{ $ref: 'https://example.com/x.json' }, 'argsSchema.$ref'],
    [{ properties: { a: { $ref: '#/x' } } }, 'argsSchema.properties.a.$ref'],
    [{ properties: { a: { tpye: 'string' } } }, 'argsSchema.properties.a.tpye'],
    [{ properties: { a: { type: 'text' } } }, 'argsSchema.properties.a.type'],
    [{ properties: { a: { pattern: '(a+)+$' } } }, 'argsSchema.properties.a.pattern'],
    [{ items: [] }, 'argsSchema.items'],
    [{ anyOf: [] }, 'argsSchema.anyOf'],
    [{ required: [1] }, 'argsSchema.required'],
    [{ type: 'string' }, 'argsSchema.type'],
    [{ description: 'x'.repeat(40_000) }, 'argsSchema'],
  ])('that says what cannot hold is refused with the place: %j', (schema, path) => {
    expect(schemaFaults(schema).map((fault) => fault.path)).toEqual([path]);
  });

  it('may be as deep and as large as its limits', () => {
    const deep = (depth: number): object => (depth === 0 ? {} : { items: deep(depth - 1) });
    expect(schemaFaults(deep(12) as Record<string, unknown>)).toEqual([]);
    expect(schemaFaults(deep(13) as Record<string, unknown>)).toHaveLength(1);
    const properties = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [i.toString(36), {}]));
    expect(schemaFaults({ properties })).toHaveLength(1);
  });
});

describe('a pattern', () => {
  it.each([
    '^[^@]+@[^@]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(?:https?://)?[a-z.]+$',
    'abc',
    '^(a|b|c)?x*$',
    '^\\p{L}+$',
    '^[)(*]+$',
  ])('that tries a text in few ways is taken: %s', (pattern) => {
    expect(patternFault(pattern)).toBeNull();
  });

  it.each([
    '(a+)+$',
    '^(a|aa)*$',
    '(?=a)b',
    '^(a)\\1$',
    '^a*a*a*$',
    '[^@]+@[^@]+',
    '^' + 'a?'.repeat(30),
    '(',
    'x'.repeat(501),
    '^(a*){2}',
  ])('that could take long is refused: %s', (pattern) => {
    expect(patternFault(pattern)).toEqual(expect.any(String));
  });
});
