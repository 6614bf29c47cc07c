import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { JsonEquality } from './json-equality.js';

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

describe('JsonEquality', () => {
  it('holds for the same values only', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(new JsonEquality().holds(a, b)).toBe(isDeepStrictEqual(a, b));
        expect(new JsonEquality().holds(a, structuredClone(a))).toBe(true);
      }),
    );
    expect(new JsonEquality().holds({ a: 1, b: [null] }, { b: [null], a: 1 })).toBe(true);
    expect(new JsonEquality().holds({ a: 1 }, { b: 1 })).toBe(false);
    expect(new JsonEquality().holds({}, [])).toBe(false);
  });

  it('lists the names of a large object once, however many values it is compared with', () => {
    const ownKeys = vi.fn((target: object) => Reflect.ownKeys(target));
    const value = { a: new Proxy({ x: 1, y: 2 }, { ownKeys }) };
    const equality = new JsonEquality();
    for (let i = 0; i < 100; i += 1) expect(equality.holds({ a: {} }, value)).toBe(false);
    expect(ownKeys).toHaveBeenCalledTimes(1);
  });
});
