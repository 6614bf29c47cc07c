import { describe, expect, it } from 'vitest';
import { keyOf, pathText, previewOf, searchOf, visibleNodes } from './tree-model';

const VALUE = { id: 7, lines: [{ sku: 'a-1' }, { sku: 'b-2' }], note: null };

describe('the tree of a value', () => {
  it('shows the first levels, and what somebody opened', () => {
    const texts = (toggled: string[]): string[] =>
      visibleNodes(VALUE, new Set(toggled)).map(({ path }) => pathText(path));
    expect(texts([])).toEqual(['', '.id', '.lines', '.lines[0]', '.lines[1]', '.note']);
    expect(texts([keyOf(['lines', 1])])).toContain('.lines[1].sku');
    expect(texts([keyOf([])])).toEqual(['']);
  });

  it('finds names and values at any depth', () => {
    const found = (text: string) => searchOf(VALUE, text)(100).found.map(({ name }) => name);
    expect(found('B-2')).toEqual(['.lines[1].sku']);
    expect(found('sku')).toEqual(['.lines[0].sku', '.lines[1].sku']);
    expect(found('nowhere')).toEqual([]);
  });

  it('looks through a value a part at a time', () => {
    const search = searchOf(VALUE, 'sku');
    const parts = [search(5), search(1), search(9)];
    expect(parts.map(({ found, isDone }) => [found.length, isDone])).toEqual([
      [1, false],
      [0, false],
      [1, true],
    ]);
  });

  it('writes names that are no identifiers in backticks', () => {
    expect(pathText(['a-b', 'c d', 0])).toBe('.a-b.`c d`[0]');
  });

  it('shows little of a long text', () => {
    expect(previewOf('x'.repeat(1_000_000), null).length).toBeLessThan(400);
    expect([previewOf([1, 2], 2), previewOf({}, 0), previewOf(null, null)]).toEqual(['[2]', '{0}', 'null']);
  });
});
