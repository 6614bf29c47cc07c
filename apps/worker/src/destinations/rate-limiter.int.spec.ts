import { openRedis, RedisNames, type Redis } from '@weft/redis';
import { liveRedis, waitFor } from '@weft/testing';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { DestinationGate } from './destination-gate.js';
import { MOMENT_MS, RateLimiter, type NamedLimit } from './rate-limiter.js';

const live = liveRedis();
const open: Redis[] = [];
const FIFTY: readonly NamedLimit[] = [{ id: 'api.example.com:443', rate: { limit: 50, per: 'second' } }];

afterEach(async () => {
  await live.wipe();
  for (const redis of open.splice(0)) redis.disconnect();
});

async function limiter(workers = 8, monotonicMs = () => performance.now()) {
  const redis = openRedis(live.url, 'commands', 'test');
  open.push(redis);
  await once(redis, 'ready');
  return { redis, limiter: new RateLimiter({ redis, prefix: live.prefix, workers: () => workers, monotonicMs }) };
}

const timeOf = async (redis: Redis) => {
  const [seconds, us] = await redis.time();
  return Number(seconds) * 1_000_000 + Number(us);
};

describe('a rate limit that several workers share', () => {
  it('lets no more calls through in any second of its clock, and nearly as many as it may', async () => {
    const workers = await Promise.all(Array.from({ length: 8 }, () => limiter()));
    const { redis } = workers[0]!;
    const [callsKey] = new RedisNames(live.prefix).callRate('c', FIFTY[0]!.id, '50/1000');
    const seen = new Set<string>();
    const begun = await timeOf(redis);
    const until = begun + 4_000_000;
    const lane = async ({ limiter: of, redis: own }: Awaited<ReturnType<typeof limiter>>) => {
      let turn: 'new' | 'again' = 'new';
      while ((await timeOf(own)) < until) {
        const waitMs = await of.take('c', FIFTY, turn);
        for (const at of await own.lrange(callsKey, 0, -1)) seen.add(at);
        turn = waitMs > 0 ? 'again' : 'new';
        const turnAtMs = performance.now() + Math.min(waitMs, MOMENT_MS);
        if (waitMs > 0) await waitFor(() => performance.now() >= turnAtMs, { what: 'the turn of a call' });
      }
    };
    await Promise.all(workers.flatMap((worker) => [lane(worker), lane(worker), lane(worker)]));
    const times = [...seen].map(Number).filter((at) => at < until).sort((a, b) => a - b); // prettier-ignore
    const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000_000).length));
    expect(most).toBe(50);
    // four seconds have room for 200 calls
    expect(times.length).toBeLessThanOrEqual(200);
    expect(times.length).toBeGreaterThanOrEqual(190);
  });

  it('gives those who wait a turn each', async () => {
    const { limiter: of } = await limiter();
    const two: readonly NamedLimit[] = [{ id: 'a:1', rate: { limit: 2, per: 'minute' } }];
    expect([await of.take('c', two, 'new'), await of.take('c', two, 'new')]).toEqual([0, 0]);
    const turns = [await of.take('c', two, 'new'), await of.take('c', two, 'new'), await of.take('c', two, 'new')];
    const [first = 0, second = 0, third = 0] = turns;
    expect(Math.abs(first - 60_000)).toBeLessThan(5_000);
    expect([second - first, third - second].map((ms) => Math.round(ms / 10_000))).toEqual([3, 3]);
    // the other company's limit of the same destination is its own
    expect(await of.take('d', two, 'new')).toBe(0);
  });

  it('has room in time for the call that tries a destination, however often it was asked in vain', async () => {
    const { limiter: of } = await limiter();
    const known = { address: 'a:1', state: 'down', rate_limit: { limit: 1, per: 'second' } };
    const book = { byAddress: new Map([['a:1', known as never]]) };
    const probe = { ended: () => undefined };
    const gate = new DestinationGate({ get: () => book, readAgain: async () => book }, of, {
      begin: () => null,
      probe: () => Promise.resolve(probe),
    });
    const { signal } = new AbortController();
    const ofCall = { companyId: 'c', destination: 'a:1', links: new Map(), onDown: 'park', signal } as const;
    const tries = async () => (await gate.enter({ ...ofCall, hasPaused: false, mayPause: true })) === probe;
    expect([await tries(), await tries()]).toEqual([true, false]);
    await waitFor(tries, { what: 'a call that tries the destination', withinMs: 5_000 });
  });

  it('takes of all limits of a call or of none', async () => {
    const { limiter: of } = await limiter();
    const narrow = { id: 'link:1', rate: { limit: 1, per: 'hour' } } as const;
    const wide = { id: 'a:1', rate: { limit: 2, per: 'hour' } } as const;
    expect(await of.take('c', [wide, narrow], 'new')).toBe(0);
    expect(await of.take('c', [wide, narrow], 'new')).toBeGreaterThan(0);
    expect(await of.take('c', [wide], 'kept')).toBe(0);
    expect(await of.take('c', [wide], 'kept')).toBeGreaterThan(0);
  });

  it('keeps nobody waiting for a limit that has room because another limit of some call has none', async () => {
    const { limiter: of } = await limiter();
    const slow = { id: 'a:1', rate: { limit: 1, per: 'hour' } } as const;
    const fast = { id: 'link:1', rate: { limit: 1_000, per: 'second' } } as const;
    expect(await of.take('c', [slow, fast], 'new')).toBe(0);
    for (let i = 0; i < 3; i += 1) expect(await of.take('c', [slow, fast], 'new')).toBeGreaterThan(MOMENT_MS);
    expect(await of.take('c', [fast], 'new')).toBe(0);
    expect(await of.take('c', [slow], 'new')).toBeGreaterThan(MOMENT_MS);
  });

  it('reaches no further in the queue of a limit than its own calls do', async () => {
    const { limiter: of } = await limiter();
    const slow = { id: 'a:1', rate: { limit: 1, per: 'hour' } } as const;
    const busy = { id: 'link:1', rate: { limit: 6, per: 'minute' } } as const;
    for (let i = 0; i < 6; i += 1) expect(await of.take('c', i === 0 ? [slow, busy] : [busy], 'new')).toBe(0);
    expect(await of.take('c', [slow, busy], 'new')).toBeGreaterThan(100_000);
    expect(await of.take('c', [busy], 'new')).toBeLessThanOrEqual(70_000);
  });

  it('begins a new queue when it is changed, and calls made before count', async () => {
    const { limiter: of } = await limiter();
    const hourly = (limit: number): readonly NamedLimit[] => [{ id: 'a:1', rate: { limit, per: 'hour' } }];
    expect(await of.take('c', hourly(1), 'new')).toBe(0);
    expect(await of.take('c', hourly(1), 'new')).toBeGreaterThan(MOMENT_MS);
    expect(await of.take('c', hourly(2), 'new')).toBe(0);
    expect(await of.take('c', hourly(2), 'new')).toBeGreaterThan(MOMENT_MS);
  });

  it('is shared out by the number of workers while Redis is unreachable, and what was taken before counts', async () => {
    let nowMs = 0;
    const { limiter: of, redis } = await limiter(8, () => nowMs);
    const take = () => of.take('c', FIFTY, 'again');
    expect([await take(), await take()]).toEqual([0, 0]);
    redis.disconnect();
    const alone: number[] = [];
    for (let i = 0; i < 10; i += 1) alone.push(await take());
    // a share of 6, two of which Redis gave
    expect(alone.map((waitMs) => waitMs <= 0)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
    nowMs += 1_000;
    expect(await take()).toBe(0);
    const rare: readonly NamedLimit[] = [{ id: 'b:1', rate: { limit: 2, per: 'second' } }];
    expect(await of.take('c', rare, 'new')).toBe(0);
    nowMs += 3_999;
    expect(await of.take('c', rare, 'new')).toBe(1);
    // one call in eight hours: Redis may be back long before
    const hourly: readonly NamedLimit[] = [{ id: 'd:1', rate: { limit: 1, per: 'hour' } }];
    expect(await of.take('c', hourly, 'new')).toBe(0);
    expect(await of.take('c', hourly, 'new')).toBeLessThanOrEqual(300_000);
  });

  it('is counted anew when Redis has lost everything, and nobody waits for ever', async () => {
    const { limiter: of } = await limiter();
    const one: readonly NamedLimit[] = [{ id: 'a:1', rate: { limit: 1, per: 'hour' } }];
    expect(await of.take('c', one, 'new')).toBe(0);
    expect(await of.take('c', one, 'new')).toBeGreaterThan(0);
    await live.wipe();
    expect(await of.take('c', one, 'kept')).toBe(0);
  });
});
