import { openRedis, type Redis } from '@weft/redis';
import { liveRedis } from '@weft/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LoginThrottle } from './login-throttle.js';
import { SharedLoginThrottle } from './shared-login-throttle.js';

const live = liveRedis();
const clock = { now: () => 0, monotonicMs: () => performance.now() };
let redis: Redis;
let company = 0;
let one: SharedLoginThrottle;
let other: SharedLoginThrottle;

const replica = () => new SharedLoginThrottle(new LoginThrottle(clock), redis, `${live.prefix}-${company}`);

beforeAll(async () => {
  redis = openRedis(live.url, 'commands', 'test');
  await new Promise((resolve) => redis.once('ready', resolve));
});
afterAll(() => redis.disconnect());
beforeEach(() => {
  company += 1;
  one = replica();
  other = replica();
});

async function fails(throttle: SharedLoginThrottle, account: string, address = '::1'): Promise<void> {
  (await throttle.begin(account, address)).end(true);
  // the answer of END comes after those of what was sent before
  await redis.ping();
}

const isClosed = (throttle: SharedLoginThrottle, account: string, address = '::1') =>
  throttle.begin(account, address).then(
    (attempt) => {
      attempt.end(false);
      return null;
    },
    (error: unknown) => error,
  );

describe('sign-ins over several replicas', () => {
  it('close a pair after five failures wherever they happened, and only it', async () => {
    for (const throttle of [one, other, one, other, one]) await fails(throttle, 'ada');
    expect(await isClosed(other, 'ada')).toMatchObject({ code: 'too_many_attempts' });
    expect(await isClosed(replica(), 'ada')).toMatchObject({ code: 'too_many_attempts' });
    expect(await isClosed(other, 'ada', '::2')).toBeNull();
    expect(await isClosed(other, 'bob')).toBeNull();
  });

  it('look at five of fifty parallel guesses', async () => {
    let looked = 0;
    const guess = async (i: number): Promise<void> => {
      const attempt = await (i % 2 === 0 ? one : other).begin('ada', '::1').catch(() => null);
      if (!attempt) return;
      looked += 1;
      await redis.ping();
      attempt.end(true);
    };
    await Promise.all(Array.from({ length: 50 }, (_, i) => guess(i)));
    expect(looked).toBe(5);
  });

  it('all pass when fifty come at once with the right password', async () => {
    const sign = async (i: number) => (await (i % 2 === 0 ? one : other).begin('ada', '::1')).end(false);
    await Promise.all(Array.from({ length: 50 }, (_, i) => sign(i)));
    expect(await isClosed(replica(), 'ada')).toBeNull();
  });

  it('are counted by each replica for itself while Redis is away', async () => {
    const away = openRedis('redis://127.0.0.1:1', 'commands', 'test');
    const alone = new SharedLoginThrottle(new LoginThrottle(clock), away, live.prefix);
    for (let i = 0; i < 5; i += 1) (await alone.begin('ada', '::1')).end(true);
    await expect(alone.begin('ada', '::1')).rejects.toMatchObject({ code: 'too_many_attempts' });
    away.disconnect();
  });

  it('leave no name and no address in Redis', async () => {
    await fails(one, 'ada@weft.test', '203.0.113.9');
    const keys = await redis.keys(`*${live.prefix}-${company}*`);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.join(' ')).not.toMatch(/ada@|203\./);
  });
});
