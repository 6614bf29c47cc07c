import { expect, it } from 'vitest';
import { LayerCounters, layersOf, type EndedLayer, type LayerRow } from './layer-counters.js';

const NOON = Date.UTC(2026, 0, 5, 12);
const HOUR = 3_600_000;
const F = { company_id: 'c', flowId: 'f' };
const G = { company_id: 'c', flowId: 'g' };
const H = { company_id: 'd', flowId: 'h' };

const layer = (ref: string, state: EndedLayer['state'] = 'DONE', ms = 100): EndedLayer => ({
  ...{ ref, state, startedAt: new Date(NOON), completedAt: new Date(NOON + ms) },
});
const refsOf = (rows: readonly LayerRow[]) => rows.map(({ flowId, layers }) => [flowId, layers.map(({ ref }) => ref)]);

it('counts how the layers of a flow end, by hour', () => {
  const counters = new LayerCounters('p');
  counters.ended(F, [layer('a'), layer('a', 'FAIL', 300), layer('b', 'SKIP'), layer('b', 'FILTERED')], NOON);
  counters.ended(F, [layer('a')], NOON + HOUR);
  const [first, second] = counters.changed(10, NOON + HOUR);
  expect(first?.layers).toMatchObject([
    { ref: 'a', done: 1, failed: 1, skipped: 0, ms: 400 },
    { ref: 'b', done: 0, failed: 0, skipped: 2, ms: 0, durations: {} },
  ]);
  expect([first?.at.getTime(), second?.at.getTime()]).toEqual([NOON, NOON + HOUR]);
  const sums = layersOf([...(first?.layers ?? []), ...(second?.layers ?? [])]);
  expect(sums.get('a')).toMatchObject({ done: 2, failed: 1, ms: 500 });
});

it('gives a row again with all of it until it is stored, also when more is counted while it is written', () => {
  const counters = new LayerCounters('p');
  counters.ended(F, [layer('a')], NOON);
  const lost = counters.changed(10, NOON);
  const rows = counters.changed(10, NOON);
  expect(rows).toEqual(lost);
  counters.ended(F, [layer('a')], NOON);
  counters.written(rows);
  const [again] = counters.changed(10, NOON);
  expect([again?.counter, again?.layers[0]?.done]).toEqual([rows[0]?.counter, 2]);
  counters.written(again ? [again] : []);
  expect(counters.changed(10, NOON)).toEqual([]);
});

it('counts no more layers at a time than its bounds say, and those of another company all the same', () => {
  const counters = new LayerCounters('p', { inAll: 4, ofCompany: 2 });
  counters.ended(F, [layer('a'), layer('b'), layer('c')], NOON);
  counters.ended(G, [layer('a')], NOON);
  counters.ended(H, [layer('a')], NOON);
  const rows = counters.changed(10, NOON);
  expect(refsOf(rows)).toEqual([
    ['f', ['a', 'b']],
    ['h', ['a']],
  ]);
  counters.written(rows);
  // the hour is over: there is room again
  counters.changed(10, NOON + 2 * HOUR);
  counters.ended(G, [layer('a'), layer('b')], NOON + 2 * HOUR);
  expect(refsOf(counters.changed(10, NOON + 2 * HOUR))).toEqual([['g', ['a', 'b']]]);
});

it('lets go of what nobody would read any more, though it was never stored', () => {
  const counters = new LayerCounters('p', { inAll: 1, ofCompany: 1 });
  counters.ended(F, [layer('a')], NOON);
  expect(counters.changed(10, NOON + 25 * HOUR)).toHaveLength(1);
  expect(counters.changed(10, NOON + 27 * HOUR)).toEqual([]);
  counters.ended(F, [layer('a')], NOON + 27 * HOUR);
  expect(counters.changed(10, NOON + 27 * HOUR)).toHaveLength(1);
});
