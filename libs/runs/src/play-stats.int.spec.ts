import { Metrics } from '@weft/observability';
import { Mongo, SystemScope, TenantScope } from '@weft/store';
import { StatsRepository } from '@weft/records';
import { liveMongo, waitFor } from '@weft/testing';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { PlayStats } from './play-stats.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
const metrics = new Metrics();
afterAll(async () => {
  metrics.close();
  await mongo.close();
});

/** The results of the next writes, in turn: refused, or applied without an answer. After these, writes succeed. */
type Fault = 'refused' | 'unanswered';
let faults: Fault[] = [];
let begun = 0;
let writes = 0;
const store = StatsRepository.prototype.store;
let company = 0;
let lines: string[] = [];

beforeEach(() => {
  company += 1;
  faults = [];
  begun = 0;
  writes = 0;
  lines = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(StatsRepository.prototype, 'store').mockImplementation(async function (
    this: StatsRepository,
    scope: SystemScope,
    rows: Parameters<typeof store>[1],
  ) {
    begun += 1;
    const fault = faults.shift();
    if (fault !== 'refused') await store.call(this, scope, rows);
    writes += 1;
    if (fault) throw new Error(`the write was ${fault}`);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const flow = (n = 0) => ({ company_id: `c${company}`, flowId: `f${company}-${n}` });

function open(): PlayStats {
  return new PlayStats(mongo, metrics, pino({ level: 'warn' }, { write: (line) => lines.push(line) }));
}

function count(figures: PlayStats, plays: number, flows = 1): void {
  for (let n = 0; n < plays; n += 1) {
    figures.started(flow(n % flows), 1);
    figures.ended(flow(n % flows), 'DONE', new Date(mongo.serverNow()));
  }
}

/** The company's stats for this hour and the one before. */
async function stored(): Promise<{ started: number; done: number }> {
  const window = {
    span: 'hour',
    from: new Date(mongo.serverNow() - 3_600_000 - (mongo.serverNow() % 3_600_000)),
  } as const;
  const series = await new StatsRepository(mongo).series(new TenantScope(`c${company}`), window);
  const tallies = [...series.values()];
  const sum = (name: 'started' | 'done') => tallies.reduce((total, tally) => total + tally[name], 0);
  return { started: sum('started'), done: sum('done') };
}

/** The time of the next write comes, and it is made. */
async function nextWrite(): Promise<void> {
  const before = writes;
  await vi.advanceTimersByTimeAsync(1_000);
  await waitFor(() => writes > before, { what: 'a write' });
  await vi.advanceTimersByTimeAsync(0);
}

describe('the figures of a process', () => {
  it('are stored by themselves, all of them once, whether writes are refused or their answers lost', async () => {
    faults = ['refused', 'unanswered', 'unanswered', 'refused'];
    const figures = open();
    figures.onApplicationBootstrap();
    for (let round = 0; round < 4; round += 1) {
      count(figures, 3);
      await nextWrite();
    }
    expect(lines).toHaveLength(1); // not one write for each play
    expect(lines[0]).toContain('the write was refused');
    await nextWrite();
    expect(await stored()).toEqual({ started: 12, done: 12 });
    await figures.drain();
  });

  it('are stored to the last one when the process stops, however many flows there are', async () => {
    const figures = open();
    figures.onApplicationBootstrap();
    count(figures, 1_100, 1_100);
    await figures.drain();
    expect(writes).toBe(2);
    expect(await stored()).toEqual({ started: 1_100, done: 1_100 });
  });

  it('are stored behind a write that is under way when the process stops, and then no more', async () => {
    const figures = open();
    figures.onApplicationBootstrap();
    count(figures, 3);
    await vi.advanceTimersByTimeAsync(1_000);
    count(figures, 4);
    await figures.drain();
    expect(await stored()).toEqual({ started: 7, done: 7 });
    count(figures, 1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(begun).toBe(2);
  });

  it('are stored, once, when the last write is refused or its answer is lost', async () => {
    faults = ['refused', 'unanswered'];
    const figures = open();
    count(figures, 3);
    await figures.drain();
    expect(await stored()).toEqual({ started: 3, done: 3 });
  });

  it('hold no process up that stops while MongoDB is away', async () => {
    faults = ['refused', 'refused', 'refused', 'refused'];
    const figures = open();
    count(figures, 3);
    await figures.drain();
    expect([writes, lines.length]).toEqual([3, 1]);
  });
});
