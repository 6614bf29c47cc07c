import { expect, it } from 'vitest';
import { byLayer } from './by-layer';

const figures = (ref: string, done: number, total_ms: number) => ({
  ...{ ref, done, failed: 1, skipped: 0, p50_ms: 10, p95_ms: 20, total_ms },
});

it('lists the layers of the flow in their order, then those of earlier versions, each with its share of the time', () => {
  const layers = ['a', 'b'].map((ref) => ({ ref, name: ref.toUpperCase() }));
  const rows = byLayer(layers, [figures('old', 2, 250), figures('b', 3, 750)]);
  expect(rows.map(({ name, isGone, ran, share }) => [name, isGone, ran, share])).toEqual([
    ['A', false, 0, 0],
    ['B', false, 4, 0.75],
    ['old', true, 3, 0.25],
  ]);
  expect(byLayer(layers, []).map(({ share }) => share)).toEqual([0, 0]);
});
