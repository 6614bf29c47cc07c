import { describe, expect, it } from 'vitest';
import { firstPart } from './first-part.js';

describe('firstPart', () => {
  it('is the value itself where it fits', () => {
    expect(firstPart([7615917337495251231n], 30)).toEqual({ value: [7615917337495251231n], bytes: 21, isCut: false });
    expect(firstPart({ a: [1] }, 9)).toEqual({ value: { a: [1] }, bytes: 9, isCut: false });
  });

  it('keeps the shape of a value that is too large, with the first items and the beginnings of texts', () => {
    const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, note: 'n'.repeat(300) }));
    const { value, bytes, isCut } = firstPart({ status: 200, json: { rows } }, 100_000);
    expect([bytes > 1_500_000, isCut]).toEqual([true, true]);
    expect(value).toEqual({ status: 200, json: { rows: rows.slice(0, 100) } });
    expect(firstPart('ü'.repeat(300_000), 50_000)).toMatchObject({ value: `${'ü'.repeat(20_000)}…`, isCut: true });
  });

  it('is null of what stays too large, however it is cut', () => {
    const wide = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`${i}`.padEnd(100, 'k'), 1]));
    expect(firstPart(wide, 10)).toMatchObject({ value: null, isCut: true });
    let deep: unknown = 'x'.repeat(1_000);
    for (let i = 0; i < 60; i += 1) deep = [deep];
    expect(firstPart(deep, 500)).toMatchObject({ isCut: true });
  });
});
