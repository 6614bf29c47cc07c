import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folded, lineDiff } from './line-diff';

const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => lines.join('\n'));

describe('lineDiff', () => {
  it('gives back both texts', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after);
        const without = (kind: string) =>
          lines
            .filter((line) => line.kind !== kind)
            .map((line) => line.text)
            .join('\n');
        expect([without('new'), without('gone')]).toEqual([before, after]);
      }),
    );
  });

  it('keeps what is common', () => {
    expect(lineDiff('a\nb\nc', 'a\nx\nc').map(({ kind, text: line }) => `${kind} ${line}`)).toEqual([
      'same a',
      'gone b',
      'new x',
      'same c',
    ]);
  });

  it('does not hang on large texts that have nothing in common', () => {
    const large = (word: string) => Array.from({ length: 50_000 }, (_, i) => `${word}${i}`).join('\n');
    expect(lineDiff(large('a'), large('b'))).toHaveLength(100_000);
  });
});

describe('folded', () => {
  it('shows three equal lines around a change, and how many there are besides', () => {
    const before = Array.from({ length: 20 }, (_, i) => String(i)).join('\n');
    const shown = folded(lineDiff(before, before.replace('\n10\n', '\nten\n')));
    expect(shown[0]).toEqual({ kind: 'fold', count: 7 });
    expect(shown.at(-1)).toEqual({ kind: 'fold', count: 6 });
    expect(shown).toHaveLength(1 + 3 + 2 + 3 + 1);
    expect(folded(lineDiff('a', 'a'))).toEqual([{ kind: 'fold', count: 1 }]);
  });
});
