import { describe, expect, it } from 'vitest';
import { countValues } from './value-count.js';

describe('the values in a value', () => {
  it('are itself and all that lies in it', () => {
    expect([1, 'x', null, [], {}].map((value) => countValues(value))).toEqual([1, 1, 1, 1, 1]);
    expect(countValues({ a: [1, { b: 2 }], c: null })).toBe(6);
  });

  it('are counted no further than one more than what is asked for', () => {
    let looks = 0;
    const list = new Proxy(
      Array.from({ length: 1_000 }, () => [1, 1]),
      {
        get(target, name, receiver): unknown {
          if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
          return Reflect.get(target, name, receiver);
        },
      },
    );
    expect(countValues(list, 30)).toBe(31);
    expect(looks).toBe(10);
  });
});
