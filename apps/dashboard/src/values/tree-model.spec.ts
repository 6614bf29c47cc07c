import { describe, expect, it } from 'vitest';
import { foundNodes, keyOf, pathText, previewOf, visibleNodes } from './tree-model';

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
    expect(foundNodes(VALUE, 'B-2').map(({ name }) => name)).toEqual(['.lines[1].sku']);
    expect(foundNodes(VALUE, 'sku')).toHaveLength(2);
    expect(foundNodes(VALUE, 'nowhere')).toEqual([]);
  });

  it('writes names that are no identifiers in backticks', () => {
    expect(pathText(['a-b', 'c d', 0])).toBe('.a-b.`c d`[0]');
  });

  it('shows little of a long text', () => {
    expect(previewOf('x'.repeat(1_000_000), null).length).toBeLessThan(400);
    expect([previewOf([1, 2], 2), previewOf({}, 0), previewOf(null, null)]).toEqual(['[2]', '{0}', 'null']);
  });
});
