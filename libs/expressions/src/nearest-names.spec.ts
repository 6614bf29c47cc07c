import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearestNames } from './nearest-names.js';

describe('editDistance', () => {
  it.each<[string, string, number]>([
    ['', '', 0],
    ['', 'abc', 3],
    ['body', 'bdoy', 1],
    ['body', 'bod', 1],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
  ])('%j to %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it('is symmetric, and 0 only for the same text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
      }),
    );
  });
});

describe('nearestNames', () => {
  it('gives at most three, nearest first, and none that is far', () => {
    expect(nearestNames('statuscode', ['body', 'statusCode', 'statusCod', 'headers'])).toEqual([
      'statusCode',
      'statusCod',
    ]);
    expect(nearestNames('aaaaaa', ['aaaaab', 'aaaabb', 'aaaaac', 'aaaaad'])).toHaveLength(3);
    expect(nearestNames('x', ['completely'])).toEqual([]);
  });

  it('looks at a bounded number of bounded names', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `name${i}`);
    expect(nearestNames('name99999', many)).not.toContain('name99999');
    expect(nearestNames('a'.repeat(100_000), ['a'.repeat(100_000)])).toEqual([]);
  });
});
