import { openRedis, type Redis } from '@weft/redis';
import { liveRedis } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { CompanyLimits, type CompanyRules } from './company-limits.js';
import { CompanyRates } from './company-rates.js';

const live = liveRedis();
const redis: Redis = openRedis(live.url, 'commands', 'test');
await new Promise((resolve) => redis.once('ready', resolve));
afterAll(() => redis.disconnect());

const NONE: CompanyRules = {
  ...{ isStopped: false, backlogMax: null, runsPerSecond: null, bytesMax: null, bytesStored: 0 },
  workerLabel: null,
};
const clock = { monotonicMs: () => performance.now() };

async function ratesOf(rules: Partial<CompanyRules>, by: Redis = redis): Promise<CompanyRates> {
  const limits = new CompanyLimits(1, (ids) => Promise.resolve(new Map(ids.map((id) => [id, { ...NONE, ...rules }]))));
  for (const id of ['c', 'd', 'e']) await limits.isStopped(id);
  return new CompanyRates(limits, by, live.prefix, clock);
}

async function takenOf(rates: readonly CompanyRates[], companyId: string, tries: number): Promise<number> {
  let taken = 0;
  for (let i = 0; i < tries; i += 1) {
    const one = async () => rates[i % rates.length]?.take(companyId);
    await one().then(
      () => (taken += 1),
      () => undefined,
    );
  }
  return taken;
}

describe('CompanyRates', () => {
  it('lets a company start ten seconds of its rate at once over all processes, and says when it may go on', async () => {
    const both = [await ratesOf({ runsPerSecond: 2 }), await ratesOf({ runsPerSecond: 2 })];
    const taken = await takenOf(both, 'c', 60);
    expect(taken).toBeGreaterThanOrEqual(20);
    expect(taken).toBeLessThan(40);
    await expect(both[0]?.take('c')).rejects.toMatchObject({ code: 'too_many_runs', retryAfterSeconds: 1 });
    expect(await takenOf(both, 'd', 1)).toBe(1);
  });

  it('counts alone while Redis is unreachable', async () => {
    const away = openRedis('redis://127.0.0.1:1', 'commands', 'test');
    away.on('error', () => undefined);
    const rates = await ratesOf({ runsPerSecond: 1 }, away);
    const taken = await takenOf([rates], 'e', 30);
    expect(taken).toBeGreaterThanOrEqual(10);
    expect(taken).toBeLessThan(30);
    away.disconnect();
  });

  it('asks nobody about a company without a rate', async () => {
    const rates = await ratesOf({});
    expect(rates.take('c')).toBeUndefined();
  });

  it('refuses runs and files of a company that stores more than it may', async () => {
    const rates = await ratesOf({ bytesMax: 100, bytesStored: 90 });
    expect(rates.take('c')).toBeUndefined();
    expect(() => rates.assertStorage('c', 11)).toThrow(expect.objectContaining({ code: 'storage_full' }) as Error);
    const full = await ratesOf({ bytesMax: 100, bytesStored: 101 });
    expect(() => full.take('c')).toThrow(/101 bytes .*100 are allowed/);
  });
});
