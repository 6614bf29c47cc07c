import { parseJson } from '@weft/kernel';
import mongoose from 'mongoose';
import { expect, it } from 'vitest';

const { serialize, deserialize } = mongoose.mongo.BSON;
const INT64 = 0x12;

it('stores the digits of an integer that came in as JSON and has too many for a number', () => {
  const value = parseJson('{"id":7615917337495251231,"min":-9007199254740993}', { maxBytes: 100 });
  expect(deserialize(serialize(value as object))).toEqual({ id: '7615917337495251231', min: '-9007199254740993' });
});

it('leaves integers alone that the driver writes: the id of a cursor is one', () => {
  expect(serialize({ id: 0n })[4]).toBe(INT64);
  expect(serialize({ id: 9_007_199_254_740_991n })[4]).toBe(INT64);
});
