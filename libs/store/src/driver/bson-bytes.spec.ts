import { bsonBytes } from '@weft/kernel';
import fc from 'fast-check';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';

const { calculateObjectSize } = mongoose.mongo.BSON;
const byDriver = (value: object): number => calculateObjectSize(value, { ignoreUndefined: true });

describe('bsonBytes', () => {
  it('counts what the driver counts, whatever the value', () => {
    const value = fc.jsonValue({ maxDepth: 5 });
    fc.assert(
      fc.property(value, (inner) => {
        expect(bsonBytes({ inner })).toBe(byDriver({ inner: inner as never }));
      }),
    );
  });

  it.each([
    ['whole numbers at the edge of 32 bits', [2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53, 1e300]],
    ['numbers that are not whole, and zeros', [0.5, -0, 0, NaN, Infinity]],
    ['long lists', Array.from({ length: 12_000 }, (_, i) => i)],
    ['texts and names outside of ASCII', { ключ: 'значение', long: 'ü'.repeat(100), lone: '\ud800' }],
    ['dates, nothing, and what is left out', { at: new Date(), none: null, out: undefined, list: [undefined] }],
  ])('counts as the driver does: %s', (_what, inner) => {
    expect(bsonBytes({ inner })).toBe(byDriver({ inner: inner as never }));
  });
});
