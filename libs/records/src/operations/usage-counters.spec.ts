import { describe, expect, it } from 'vitest';
import { UsageCounters } from './usage-counters.js';

const DAY_MS = 86_400_000;

describe('UsageCounters', () => {
  it('adds up what a company uses in a day, and gives all of it again when more comes', () => {
    const counters = new UsageCounters('p');
    counters.add('a', { layers: 1, layerMs: 20 }, DAY_MS);
    counters.add('a', { tokens: 7, dollars: 0.5 }, DAY_MS + 1);
    counters.add('b', { layers: 2 }, DAY_MS);
    const rows = counters.changed(10, DAY_MS);
    expect(rows.map(({ company_id, at, usage }) => [company_id, at.getTime(), usage])).toEqual([
      ['a', DAY_MS, { layers: 1, layerMs: 20, tokens: 7, dollars: 0.5 }],
      ['b', DAY_MS, { layers: 2, layerMs: 0, tokens: 0, dollars: 0 }],
    ]);
    counters.written(rows);
    expect(counters.changed(10, DAY_MS)).toEqual([]);
    counters.add('a', { layers: 1 }, DAY_MS + 2);
    expect(counters.changed(10, DAY_MS)).toMatchObject([
      { id: rows[0]?.id, counter: rows[0]?.counter, usage: { layers: 2 } },
    ]);
  });

  it('begins anew with the day, and keeps what could not be stored', () => {
    const counters = new UsageCounters('p');
    counters.add('a', { layers: 1 }, DAY_MS);
    counters.add('a', { layers: 1 }, 2 * DAY_MS);
    expect(counters.changed(1, 3 * DAY_MS + 1)).toHaveLength(1);
    const rows = counters.changed(10, 3 * DAY_MS + 1);
    expect(rows.map(({ usage }) => usage.layers)).toEqual([1, 1]);
    counters.written(rows);
    counters.changed(10, 3 * DAY_MS + 1);
    counters.add('a', { layers: 5 }, DAY_MS);
    // let go of: what is counted now has a counter of its own
    expect(counters.changed(10, DAY_MS)[0]?.counter).not.toBe(rows[0]?.counter);
  });
});
