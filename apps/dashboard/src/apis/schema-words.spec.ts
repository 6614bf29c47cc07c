import { describe, expect, it } from 'vitest';
import { placesIn, typeIn } from './schema-words';

const $defs = {
  Order: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string', format: 'uuid' }, parts: { type: 'array', items: { $ref: '#/$defs/Order' } } },
  },
  Card: { type: 'object', required: ['type', 'number'], properties: { type: { const: 'card' }, number: {} } },
  Invoice: { type: 'object', required: ['type'], properties: { type: { const: 'invoice' } } },
};

describe('the outline of a schema', () => {
  it.each<[object, string]>([
    [{}, 'any value'],
    [{ type: 'string' }, 'text'],
    [{ type: ['string', 'null'] }, 'text or null'],
    [{ type: 'string', format: 'date' }, 'text (date)'],
    [{ enum: ['a', 2, null] }, '"a" or 2 or null'],
    [{ enum: Array.from({ length: 10 }, (_, i) => i) }, '0 or 1 or 2 or 3 or 4 or 5 or 6 or 7 or others'],
    [{ const: 'card' }, '"card"'],
    [{ type: 'array' }, 'list'],
    [{ type: 'array', items: { type: 'integer' } }, 'list of integer'],
    [{ $ref: '#/$defs/Order' }, 'Order'],
    [{ type: 'object' }, 'object'],
    [{ oneOf: [{ $ref: '#/$defs/Card' }, { $ref: '#/$defs/Invoice' }] }, 'Card or Invoice'],
  ])('says %j as %s', (schema, words) => {
    expect(typeIn({ ...schema }, $defs)).toBe(words);
  });

  it('goes down through lists, as far as a schema that contains itself is asked', () => {
    const parts = placesIn({ $ref: '#/$defs/Order' }, $defs)[1];
    expect(parts).toMatchObject({ name: 'parts', type: 'list of Order', isRequired: false });
    expect(placesIn(parts?.schema ?? {}, $defs).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['id', true],
      ['parts', false],
    ]);
  });

  it('has the fields of all alternatives, and requires what each of them requires', () => {
    const either = { oneOf: [{ $ref: '#/$defs/Card' }, { $ref: '#/$defs/Invoice' }] };
    expect(placesIn(either, $defs).map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['type', true],
      ['number', false],
    ]);
  });

  it('names what other names have', () => {
    const map = { type: 'object', additionalProperties: { type: 'number', description: 'Of a day.' } };
    expect(placesIn(map, $defs)).toMatchObject([{ name: 'any name', type: 'number', description: 'Of a day.' }]);
    const more = { ...map, properties: { id: {} } };
    expect(placesIn(more, $defs).map(({ name }) => name)).toEqual(['id', 'any other name']);
    expect(placesIn({ type: 'object', additionalProperties: false }, $defs)).toEqual([]);
  });

  it('ends where lists of themselves would not', () => {
    const loop = { L: { type: 'array', items: { $ref: '#/$defs/L' } } };
    expect(placesIn({ $ref: '#/$defs/L' }, loop)).toEqual([]);
    expect(typeIn({ $ref: '#/$defs/L' }, loop)).toBe('list of list of list of list of list');
  });
});
