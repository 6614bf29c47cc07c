import type { LayerDefinition } from '@weft/engine';
import { aLayer } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { endIndex, insertLayer, reorderLayers, replaceLayer } from './layer-order.js';

function layer(ref: string, index: number): LayerDefinition {
  return aLayer(ref, { index });
}

const shown = (layers: readonly LayerDefinition[]): string =>
  layers.map((each) => `${each.ref}${each.index}`).join(' ');

describe('the order of layers', () => {
  it('puts a layer between others without touching gaps', () => {
    expect(shown(insertLayer([layer('a', 0), layer('b', 5)], layer('c', 3)))).toBe('a0 c3 b5');
  });

  it('moves those behind up when the index is taken', () => {
    expect(shown(insertLayer([layer('a', 0), layer('b', 1), layer('d', 4)], layer('c', 1)))).toBe('a0 c1 b2 d5');
  });

  it('counts the end from the last index, not from the number of layers', () => {
    expect(endIndex([])).toBe(0);
    expect(endIndex([layer('a', 0), layer('b', 7)])).toBe(8);
  });

  it('moves a layer that gets another index', () => {
    const layers = [layer('a', 0), layer('b', 1), layer('c', 2)];
    expect(shown(replaceLayer(layers, layer('c', 0)))).toBe('c0 a1 b2');
    expect(shown(replaceLayer(layers, layer('b', 1)))).toBe('a0 b1 c2');
  });

  it('numbers from 0 when all are reordered', () => {
    const layers = [layer('a', 3), layer('b', 5)];
    expect(shown(reorderLayers(layers, ['id-b', 'id-a']))).toBe('b0 a1');
  });

  it('refuses an order that misses a layer or names a stranger', () => {
    const layers = [layer('a', 0), layer('b', 1)];
    expect(() => reorderLayers(layers, ['id-a'])).toThrow(/missing: b/);
    expect(() => reorderLayers(layers, ['id-a', 'id-x'])).toThrow(/id-x is not a layer/);
  });
});
