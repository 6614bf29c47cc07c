import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearestNames, Suggestions } from './nearest-names.js';

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

  it('is the same up to its limit, and beyond the limit where it is beyond it', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
    fc.assert(
      fc.property(name, name, fc.integer({ min: 0, max: 6 }), (a, b, limit) => {
        const distance = editDistance(a, b);
        const bounded = editDistance(a, b, limit);
        if (distance <= limit) expect(bounded).toBe(distance);
        else expect(bounded).toBeGreaterThan(limit);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('Suggestions', () => {
  it('look up the first ten names only, each once', () => {
    const suggestions = new Suggestions(['fetch', 'other']);
    expect(suggestions.for('fetsh')).toEqual(['fetch']);
    for (let i = 1; i < 10; i += 1) suggestions.for(`name${i}`);
    expect(suggestions.for('othr')).toEqual([]);
    expect(suggestions.for('fetsh')).toEqual(['fetch']);
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
