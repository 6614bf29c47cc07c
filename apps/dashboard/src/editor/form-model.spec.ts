import { describe, expect, it } from 'vitest';
import {
  fieldOf,
  fieldsOfArgs,
  fieldsOfSchema,
  firstArgs,
  firstValue,
  modeOf,
  unknownNames,
  valueOfText,
  variantAt,
  withField,
  type Field,
} from './form-model';

const SCHEMA = {
  type: 'object',
  properties: {
    url: { type: 'string', description: 'Where to.' },
    method: { enum: ['GET', 'POST'], type: 'string', default: 'GET' },
    body: { description: 'Anything.' },
    timeoutMs: { type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991 },
    follow: { type: 'boolean', default: true },
    headers: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: ['string', 'null'] } },
    auth: { type: 'object', properties: { integrationId: { type: 'string' } }, required: ['integrationId'] },
    failOn: { type: 'array', items: { type: 'string' }, default: ['4xx', '5xx'] },
    to: { anyOf: [{ type: 'string' }, { type: 'array' }] },
  },
  required: ['url', 'auth'],
};
const FIELDS = fieldsOfArgs('web-request', SCHEMA);
const named = (name: string) => FIELDS.find((each) => each.name === name) ?? fieldOf('', {});

describe('a form', () => {
  it('has a field of a fitting kind for each property', () => {
    expect(FIELDS.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'url text',
      'method choice',
      'body any',
      'timeoutMs number',
      'follow boolean',
      'headers map',
      'auth object',
      'failOn list',
      'to any',
    ]);
    expect(named('url')).toMatchObject({ isRequired: true, description: 'Where to.' });
    expect(named('timeoutMs')).toMatchObject({ isInteger: true, min: 1, max: null, isRequired: false });
    expect(FIELDS.map(({ fallback }) => fallback).filter(Boolean)).toEqual(['GET', 'true', '["4xx","5xx"]']);
  });

  it('takes programs for what they are', () => {
    const schema = { properties: { source: { type: 'string' }, input: {} }, required: ['source'] };
    expect(fieldsOfArgs('code', schema).map(({ kind }) => kind)).toEqual(['program', 'any']);
    expect(fieldsOfArgs('other', schema).map(({ kind }) => kind)).toEqual(['text', 'any']);
  });

  it('begins with what is required', () => {
    expect(firstArgs(FIELDS)).toEqual({ url: '', auth: { integrationId: '' } });
  });

  it('begins with what its schema presets, unless that does not fit', () => {
    const properties = {
      count: { type: 'integer', minimum: 1, default: 3 },
      gift: { type: 'boolean', default: true },
      size: { enum: ['small', 'large'], default: 'large' },
      wrong: { type: 'boolean', default: 'yes' },
    };
    const fields = fieldsOfSchema({ properties, required: Object.keys(properties) });
    expect(firstArgs(fields)).toEqual({ count: 3, gift: true, size: 'large', wrong: false });
  });

  it.each([
    ['timeoutMs', '21', 21],
    ['timeoutMs', '-0.5', -0.5],
    ['timeoutMs', '1.', '1.'],
    ['timeoutMs', '{{ .a.ms }}', '{{ .a.ms }}'],
    ['timeoutMs', 'Infinity', 'Infinity'],
    ['timeoutMs', '12345678901234567890', '12345678901234567890'],
    ['timeoutMs', '', ''],
    ['follow', 'false', false],
    ['follow', 'true', true],
    ['follow', 'tru', 'tru'],
    ['url', '21', '21'],
  ] as const)('reads in %s, where an expression may stand, %j as %j', (name, text, value) => {
    expect(valueOfText(named(name), text)).toBe(value);
  });

  it.each([
    ['timeoutMs', 5, 'form'],
    ['timeoutMs', '{{ .a.ms }}', 'text'],
    ['timeoutMs', [5], 'json'],
    ['method', 'GET', 'form'],
    ['method', 'BREW', 'text'],
    ['headers', { a: 1 }, 'form'],
    ['headers', [], 'json'],
    ['failOn', ['4xx'], 'form'],
    ['failOn', '{{ .a.list }}', 'text'],
    ['url', { not: 'a text' }, 'json'],
    ['body', 'text', 'form'],
    ['body', { any: 1 }, 'json'],
    ['body', null, 'json'],
    ['body', undefined, 'form'],
  ] as const)('shows %s = %j as %s', (name, value, mode) => {
    expect(modeOf(named(name), value)).toBe(mode);
  });

  it('keeps what it does not know', () => {
    const args = { url: 'x', later: { new: true } };
    expect(unknownNames(FIELDS, args)).toEqual(['later']);
    expect(withField(args, 'url', 'y')).toEqual({ url: 'y', later: { new: true } });
    expect(withField(args, 'url', undefined)).toEqual({ later: { new: true } });
  });
});

/** As the document of a service has it: types refer to each other, and to themselves. */
const OPERATION = {
  type: 'object',
  properties: { body: { $ref: '#/$defs/Order' } },
  required: ['body'],
  $defs: {
    Order: {
      allOf: [{ $ref: '#/$defs/Named' }, { properties: { lines: { type: 'array', items: { $ref: '#/$defs/Line' } } } }],
      required: ['pay'],
      properties: {
        pay: { oneOf: [{ $ref: '#/$defs/Card' }, { $ref: '#/$defs/Invoice' }, { type: 'null' }], description: 'How.' },
        note: { type: ['string', 'null'], description: 'For the cook.' },
        rank: { enum: [1, 2, 3] },
        kind: { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }, { enum: ['c', null] }] },
        version: { const: 2 },
        due: { type: 'string', format: 'date-time' },
        photo: { type: ['object', 'string'], format: 'binary' },
        id: { type: 'string', readOnly: true },
        part: { $ref: '#/$defs/Order' },
        either: { type: ['integer', 'string'] },
        extra: { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: { type: 'number' } },
        open: { type: 'object', properties: {}, additionalProperties: { type: 'boolean' } },
        gone: { $ref: '#/$defs/Gone' },
      },
    },
    Named: {
      properties: { name: { type: 'string', title: 'Name of it' }, note: { maxLength: 10 } },
      required: ['name'],
    },
    Line: { type: 'object', properties: { sku: { type: 'string' }, of: { $ref: '#/$defs/Line' } }, required: ['sku'] },
    Card: { properties: { type: { const: 'card' }, number: { type: 'string' } }, required: ['type', 'number'] },
    Invoice: { properties: { type: { const: 'invoice' }, days: { type: 'integer' } }, required: ['type'] },
  },
};
const [BODY] = fieldsOfSchema(OPERATION);
const inObject = (field: Field | undefined, name: string): Field => {
  const found = field?.kind === 'object' ? field.fields.find((each) => each.name === name) : undefined;
  if (!found) throw new Error(`there is no field ${name}`);
  return found;
};
const ofBody = (name: string): Field => inObject(BODY, name);

describe('a form for the schema of an operation', () => {
  it('has the fields of all parts, without those that are only read', () => {
    const fields = BODY?.kind === 'object' ? BODY.fields : [];
    expect(fields.map(({ name, kind, isRequired }) => `${name} ${kind}${isRequired ? ' *' : ''}`)).toEqual([
      'name text *',
      'note text',
      'lines list',
      'pay variant *',
      'rank choice',
      'kind choice',
      'version choice',
      'due text',
      'photo any',
      'part object',
      'either any',
      'extra object',
      'open map',
      'gone any',
    ]);
    expect(ofBody('due').description).toBe('A time, like 2026-11-30T12:00:00Z.');
    expect(ofBody('name').description).toBe('Name of it');
    expect(ofBody('photo').description).toContain('A file');
  });

  it('goes as deep as one looks, also where a type refers to itself', () => {
    const deep = Array.from({ length: 30 }).reduce<Field>((field) => inObject(field, 'part'), BODY as Field);
    expect(inObject(deep, 'name')).toMatchObject({ kind: 'text', isRequired: true });
    const lines = ofBody('lines');
    expect(lines.kind === 'list' && inObject(inObject(lines.item, 'of'), 'sku')).toMatchObject({ kind: 'text' });
  });

  it('knows which fields may be null', () => {
    expect(['note', 'pay', 'kind', 'due', 'rank'].map((name) => ofBody(name).isNullable)).toEqual([
      ...[true, true, true, false, false],
    ]);
  });

  it('has choices of any scalar', () => {
    expect(ofBody('rank')).toMatchObject({ options: [1, 2, 3] });
    expect(ofBody('kind')).toMatchObject({ options: ['a', 'b', 'c'] });
    expect(ofBody('version')).toMatchObject({ options: [2] });
    expect(modeOf(ofBody('rank'), 2)).toBe('form');
    expect(modeOf(ofBody('rank'), '2')).toBe('text');
    expect(modeOf(ofBody('rank'), 4)).toBe('json');
  });

  it('has one of several shapes, and finds which one a value is', () => {
    const pay = ofBody('pay');
    const variants = pay.kind === 'variant' ? pay.variants : [];
    expect(variants.map(({ label }) => label)).toEqual(['Card', 'Invoice']);
    expect(
      [{ type: 'invoice' }, { type: 'card', number: '4' }, {}, { days: 3 }].map((each) => variantAt(variants, each)),
    ).toEqual([1, 0, 1, 1]);
    expect(modeOf(pay, { type: 'card' })).toBe('form');
    expect(modeOf(pay, '{{ .a.pay }}')).toBe('text');
    expect(modeOf(pay, null)).toBe('json');
    expect(pay.description).toBe('How.');
  });

  it('lets one name further fields where the schema does', () => {
    expect(ofBody('extra')).toMatchObject({ fields: [{ name: 'a' }], rest: { kind: 'number' } });
    expect(ofBody('open')).toMatchObject({ value: { kind: 'boolean' } });
    expect(ofBody('part')).toMatchObject({ rest: null });
  });

  it('begins with what is required, and ends where that refers to itself', () => {
    expect(BODY && firstValue(BODY)).toEqual({ name: '', pay: { type: 'card', number: '' } });
    const endless = { $ref: '#/$defs/A', $defs: { A: { properties: { a: { $ref: '#/$defs/A' } }, required: ['a'] } } };
    expect(JSON.stringify(firstValue(fieldOf('', endless)))).toBe('{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}');
  });

  it('is made in no time of schemas that refer to each other again and again', () => {
    const level = (i: number) => ({ allOf: [{ $ref: `#/$defs/L${i + 1}` }, { $ref: `#/$defs/L${i + 1}` }] });
    const levels = Array.from({ length: 40 }, (_, i) => [`L${i}`, level(i)] as const);
    const circle = { oneOf: [{ $ref: '#/$defs/C' }, { $ref: '#/$defs/C' }], properties: { x: {} } };
    const $defs = Object.fromEntries<object>([...levels, ['C', circle]]);
    expect(fieldOf('', { $ref: '#/$defs/L0' }, false, $defs).kind).toBe('any');
    expect(['any', 'variant', 'object']).toContain(fieldOf('', { $ref: '#/$defs/C' }, false, $defs).kind);
    expect(
      fieldsOfSchema({
        properties: { ['__proto__']: { type: 'string' }, constructor: { $ref: '#/$defs/toString' } },
        $defs,
      }),
    ).toHaveLength(2);
  });
});
