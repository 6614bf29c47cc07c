import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences } from './differences';

describe('differences', () => {
  it('names each place where two values differ', () => {
    const found = differences({ a: 1, b: [1, 2], c: { d: null } }, { a: 1, b: [1, 3, 4], c: { d: {} } });
    expect(found).toEqual([
      { path: ['b', 1], before: 2, after: 3 },
      { path: ['b', 2], before: undefined, after: 4 },
      { path: ['c', 'd'], before: null, after: {} },
    ]);
  });

  it('finds nothing exactly when the values are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(differences(a, structuredClone(a))).toEqual([]);
        expect(differences(a, b).length > 0).toBe(JSON.stringify(a) !== JSON.stringify(b) && !sameInOtherOrder(a, b));
      }),
    );
  });
});

/** Objects whose fields are in another order are equal. */
function sameInOtherOrder(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
}
