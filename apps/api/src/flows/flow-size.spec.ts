import type { LayerDefinition } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { assertLayerFits, assertLayersFit, MAX_FLOW_VALUES } from './flow-size.js';

const layer = (list: unknown): Partial<LayerDefinition> => ({ ref: 'a', args: { list } });
const numbers = (count: number): number[] => Array.from({ length: count }, () => 1);

describe('the layers of a flow', () => {
  it('have no more values than a read of it takes little time for', () => {
    expect(() => assertLayersFit([layer(numbers(MAX_FLOW_VALUES - 10))])).not.toThrow();
    for (const list of [
      numbers(MAX_FLOW_VALUES),
      Object.fromEntries(numbers(MAX_FLOW_VALUES).map((_, i) => [i, {}])),
    ]) {
      expect(() => assertLayersFit([layer(list)])).toThrow(/at most 50000 values/);
    }
  });

  it('have a size in the bytes that are stored', () => {
    const text = 'x'.repeat(4 * 1024 * 1024 - 100);
    expect(() => assertLayersFit([layer([text, text])])).not.toThrow();
    expect(() => assertLayersFit([layer([text, text, 'x'.repeat(200)])])).toThrow(/8 MB/);
  });

  it('that stay as they are stored are not judged again', () => {
    const before = [layer(numbers(MAX_FLOW_VALUES + 100))];
    expect(() => assertLayersFit(before, before)).not.toThrow();
    expect(() => assertLayersFit([...before], before)).toThrow(/values/);
  });
});

describe('a layer', () => {
  it('that has more than its flow may have is refused by itself, unless its arguments stay', () => {
    const args = { list: numbers(MAX_FLOW_VALUES) };
    expect(() => assertLayerFits({ args })).toThrow(expect.objectContaining({ code: 'body_too_large' }));
    expect(() => assertLayerFits({ args }, { args })).not.toThrow();
  });
});
