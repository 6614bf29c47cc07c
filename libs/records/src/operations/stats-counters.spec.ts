import { describe, expect, it } from 'vitest';
import { StatsCounters, type StatsRow } from './stats-counters.js';
import { sumOf } from './tally.js';

const NOON = Date.UTC(2026, 0, 5, 12);
const MINUTE = 60_000;
const F = { company_id: 'c', flowId: 'f' };
const G = { company_id: 'c', flowId: 'g' };

/** What a store holds that keeps, as the real one does, the last row of each counter. */
function store() {
  const kept = new Map<string, StatsRow>();
  const put = (rows: readonly StatsRow[]) => rows.forEach((row) => kept.set(`${row.id} ${row.counter}`, row));
  const read = (flowId: string, span: string, atMs: number) => {
    const rows = [...kept.values()].filter(
      (row) => row.flowId === flowId && row.span === span && row.at.getTime() === atMs,
    );
    const { started, done, failed } = sumOf(rows.map(({ tally }) => tally));
    return { started, done, failed };
  };
  return { put, read };
}

describe('StatsCounters', () => {
  it('counts each flow, and all of the company, by minute and by hour, and the company by day', () => {
    const counters = new StatsCounters('p');
    const stored = store();
    counters.started(F, NOON);
    counters.ended(F, 'DONE', 20, NOON + MINUTE - 1);
    counters.ended(F, 'FAIL', 20, NOON + MINUTE);
    counters.ended(G, 'FILTERED', 1, NOON + MINUTE);
    counters.ended(G, 'SKIP', null, NOON + MINUTE);
    stored.put(counters.changed(100, NOON + MINUTE));
    expect(stored.read('f', 'minute', NOON)).toEqual({ started: 1, done: 1, failed: 0 });
    expect(stored.read('f', 'minute', NOON + MINUTE)).toEqual({ started: 0, done: 0, failed: 1 });
    expect(stored.read('f', 'hour', NOON)).toEqual({ started: 1, done: 1, failed: 1 });
    expect(stored.read('', 'hour', NOON)).toEqual({ started: 1, done: 2, failed: 1 });
    const day = NOON - (NOON % (24 * 60 * MINUTE));
    expect(stored.read('', 'day', day)).toEqual({ started: 1, done: 2, failed: 1 });
    expect(stored.read('f', 'day', day)).toEqual({ started: 0, done: 0, failed: 0 });
  });

  it('counts plays that somebody cancelled apart', () => {
    const counters = new StatsCounters('p');
    counters.ended(F, 'CANCELLED', 20, NOON);
    counters.ended(F, 'FAIL', null, NOON);
    const [row] = counters.changed(100, NOON);
    expect(row?.tally).toMatchObject({ done: 0, failed: 1, cancelled: 1, durations: {} });
    const other = { started: 0, done: 1, failed: 2, cancelled: 3, durations: {}, lastAt: null };
    expect(sumOf([other, row?.tally ?? other])).toMatchObject({ done: 1, failed: 3, cancelled: 4 });
  });

  it('stores all of a row each time, so that a write which is repeated, or was lost, changes no sum', () => {
    const counters = new StatsCounters('p');
    const stored = store();
    counters.ended(F, 'DONE', 1, NOON);
    counters.changed(100, NOON); // lost
    counters.ended(F, 'DONE', 1, NOON);
    const second = counters.changed(100, NOON);
    stored.put(second);
    stored.put(second);
    counters.written(second);
    expect(counters.changed(100, NOON)).toEqual([]);
    counters.ended(F, 'DONE', 1, NOON);
    stored.put(counters.changed(100, NOON));
    expect(stored.read('f', 'minute', NOON).done).toBe(3);
  });

  it('counts on under another name when it had let go of a row, also when the clock was set back', () => {
    const counters = new StatsCounters('p');
    const stored = store();
    counters.ended(F, 'DONE', 1, NOON);
    const rows = counters.changed(100, NOON);
    stored.put(rows);
    counters.written(rows);
    counters.changed(100, NOON + 3 * 60 * MINUTE);
    counters.ended(F, 'DONE', 1, NOON);
    stored.put(counters.changed(100, NOON));
    expect(stored.read('f', 'hour', NOON).done).toBe(2);
  });

  it('adds up what several processes counted', () => {
    const stored = store();
    for (const name of ['p', 'q']) {
      const counters = new StatsCounters(name);
      counters.ended(F, 'DONE', 1, NOON);
      stored.put(counters.changed(100, NOON));
    }
    expect(stored.read('f', 'minute', NOON).done).toBe(2);
  });

  it('keeps what cannot be stored within bounds: the oldest minutes of single flows go first, their sums stay', () => {
    const counters = new StatsCounters('p', 10);
    const stored = store();
    for (const [i, flow] of [F, G, F, G].entries()) {
      counters.ended(flow, 'DONE', 1, NOON + i * MINUTE);
      counters.changed(100, NOON + i * MINUTE); // lost
    }
    const rows = counters.changed(100, NOON + 3 * MINUTE);
    expect(rows).toHaveLength(10);
    stored.put(rows);
    const done = (flowId: string, span: string) =>
      [0, 1, 2, 3].map((i) => stored.read(flowId, span, NOON + (span === 'hour' ? 0 : i * MINUTE)).done);
    expect([done('f', 'minute'), done('g', 'minute'), done('', 'minute')]).toEqual([
      [0, 0, 1, 0],
      [0, 0, 0, 1],
      [1, 1, 1, 1],
    ]);
    expect([done('f', 'hour')[0], done('g', 'hour')[0], done('', 'hour')[0]]).toEqual([2, 2, 4]);
  });

  it('lets go of what nobody would read any more, though it was never stored', () => {
    const counters = new StatsCounters('p');
    counters.ended(F, 'DONE', 1, NOON);
    const later = (hours: number) => counters.changed(100, NOON + hours * 60 * MINUTE).map(({ span }) => span);
    expect([later(2).length, later(4), later(24 * 9)]).toEqual([5, ['hour', 'hour', 'day'], ['day']]);
    expect(later(24 * 402)).toEqual([]);
  });

  it('gives no more rows at once than asked for, and the others the next time', () => {
    const counters = new StatsCounters('p');
    for (let i = 0; i < 10; i += 1) counters.started({ company_id: 'c', flowId: `f${i}` }, NOON);
    const first = counters.changed(15, NOON);
    expect(first).toHaveLength(15);
    counters.written(first);
    expect(counters.changed(15, NOON)).toHaveLength(8);
  });
});
