import { Metrics } from '@weft/observability';
import { StatsRepository } from '@weft/records';
import { Mongo, TenantScope } from '@weft/store';
import { liveMongo } from '@weft/testing';
import { pino } from 'pino';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { LayerStats } from './layer-stats.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const FLOW = { company_id: 'layers', flowId: 'f' };
const HOUR_MS = 3_600_000;
const figures = new StatsRepository(mongo);
const open = () => new LayerStats(pino({ level: 'silent' }), mongo, figures, new Metrics());
const layer = (state: 'DONE' | 'FAIL') => {
  const at = new Date(mongo.serverNow());
  return { ref: 'a', state, startedAt: at, completedAt: at };
};
const stored = async () => {
  const layers = await figures.byLayer(new TenantScope(FLOW.company_id), FLOW.flowId, new Date(Date.now() - HOUR_MS));
  const { done = 0, failed = 0 } = layers.get('a') ?? {};
  return { done, failed };
};

it('stores what it has counted again when that was refused, though nothing more is counted, and the rest at its end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const store = vi.spyOn(figures, 'storeLayers').mockRejectedValueOnce(new Error('E11000 duplicate key'));
  const [one, other] = [open(), open()];
  one.ended(FLOW, [layer('DONE')]);
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.advanceTimersByTimeAsync(5_000);
  await vi.waitFor(() => expect(store.mock.settledResults.map(({ type }) => type)).toEqual(['rejected', 'fulfilled']), {
    timeout: 60_000,
  });
  expect(await stored()).toEqual({ done: 1, failed: 0 });
  other.ended(FLOW, [layer('FAIL')]);
  store.mockRejectedValueOnce(new Error('E11000 duplicate key'));
  await other.drain();
  await one.drain();
  expect(await stored()).toEqual({ done: 1, failed: 1 });
});
