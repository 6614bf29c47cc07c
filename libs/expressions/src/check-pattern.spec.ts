import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { checkPattern, measure } from './check-pattern.js';

const PIECES = [
  'a',
  '[a-z]',
  '[]a]',
  '[^]{2}]',
  '[[:alpha:](]',
  '[[:x(]',
  '\\pL',
  '\\x{41}',
  '\\d',
  '\\(',
  '\\[',
  '\\Q(a{9})\\E',
  '\\pN',
  '\\PL',
  '\\p{Greek}',
  '\\p{^Greek}',
  '\\p{Nope}',
  '[\\pL\\PN]',
  '[a-\\pL]',
  '[\\pL',
  '(?i)',
  '(?i:',
  '(?s-i)',
  '(?-i:',
  '(?i',
  '\\p',
  '\\p{',
  '\\\\',
  '\\Q\\pL\\E',
  '(',
  '(?:',
  ')',
  '|',
  '*',
  '+',
  '?',
  '{3}',
  '{1,30}',
  '{2,}',
  '{0}',
  '{,3}',
  '{1',
  ']',
  '{500}',
  '.',
  '^',
];
const pattern = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));

function faultOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a pattern', () => {
  it('is never larger when it is compiled than it was measured to be', () => {
    fc.assert(
      fc.property(pattern, (text) => {
        const { parts } = measure(text);
        if (parts > 2_000 || faultOf(() => RE2JS.compile(text)) !== null) return;
        // an alternative, a group or a loop adds an instruction or two
        expect(RE2JS.compile(text).programSize()).toBeLessThanOrEqual(4 * parts + 8);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is judged as the engine judges it, save where it is too large', () => {
    fc.assert(
      fc.property(pattern, (text) => {
        const { parts } = measure(text);
        const mine = faultOf(() => checkPattern(text));
        if (parts > 10_000) expect(mine).toMatch(/repe/);
        else expect(mine === null).toBe(faultOf(() => RE2JS.compile(text)) === null);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is repeated by a count behind flags, too', () => {
    expect(measure('a{1,30}(?i){1,30}')).toMatchObject({ parts: 900, repeats: 900 });
  });

  it.each([
    ['a class of classes', '[' + '\\pL\\PL'.repeat(160) + ']', 2],
    ['wide ranges in both cases', '(?i)' + '[a-\\x{10FFFE}]'.repeat(60), 0],
    ['classes in both cases', '(?is-m:' + '\\pL'.repeat(300) + ')(?i)\\pN', 2],
  ])('is judged without what takes long: %s', (_what, text, unicodeClasses) => {
    const { plain } = measure(text);
    expect(plain.match(/\\[pP]/g) ?? []).toHaveLength(unicodeClasses);
    expect(plain).not.toMatch(/\(\?[a-z-]*i/);
    expect(faultOf(() => checkPattern(text))).toBeNull();
  });

  it.each([
    ['a{1,1000}'.repeat(110), 'written out they are 110000 parts, and 10000 are possible'],
    ['((a{50}){30})', 'invalid repeat count'],
    ['(a', 'missing closing )'],
    ['a{1001}', 'invalid repeat count'],
  ])('that cannot be used says why: %s', (text, message) => {
    expect(faultOf(() => checkPattern(text))).toContain(message);
  });

  it('is measured in one pass, whatever it is made of', () => {
    for (const piece of ['[:', '(', ')', '[', '\\', '{1', '\\Q', '[[:a']) {
      expect(measure(piece.repeat(200_000)).plain).toHaveLength(piece.length * 200_000);
    }
  });
});
