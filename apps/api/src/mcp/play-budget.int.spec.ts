import type { Principal } from '@weft/access';
import { loadSettings } from '@weft/config';
import { openRedis } from '@weft/redis';
import { liveRedis, processEnv } from '@weft/testing';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { PlayBudget } from './play-budget.js';

const redis = liveRedis();
const env = processEnv({ mongodbUri: 'mongodb://x', mongodbDb: 'x', redisUrl: redis.url, queuePrefix: redis.prefix });
const settings = loadSettings(env, { standalone: false });
const PER_MINUTE = 6;

function keyOf(companyId: string, perMinute = PER_MINUTE): Principal {
  return { companyId, credentialId: 'key', mcp: { plays_per_minute: perMinute } } as Principal;
}

/** One API process, with a connection of its own. */
function replica(url: string, monotonicMs = () => performance.now()) {
  const connection = openRedis(url, 'commands', 'spec');
  connection.on('error', () => undefined);
  afterAll(() => connection.disconnect());
  return { connection, budget: new PlayBudget(settings, connection, { monotonicMs, now: Date.now }) };
}

async function connectedReplica(): Promise<PlayBudget> {
  const { connection, budget } = replica(redis.url);
  await once(connection, 'ready');
  return budget;
}

/** How many of these calls, in turn at the replicas, are let through. */
async function taken(replicas: readonly PlayBudget[], key: Principal, calls: number): Promise<number> {
  let count = 0;
  for (let n = 0; n < calls; n += 1) {
    await replicas[n % replicas.length]?.take(key).then(
      () => (count += 1),
      (error: unknown) => expect(error).toMatchObject({ code: 'too_many_plays' }),
    );
  }
  return count;
}

describe('plays in a minute', () => {
  it('are counted together by all replicas', async () => {
    const replicas = await Promise.all([connectedReplica(), connectedReplica()]);
    const key = keyOf('together');
    const from = performance.now();
    expect(await taken(replicas, key, 4 * PER_MINUTE)).toBe(PER_MINUTE);
    // one more comes 10 s after the first
    const refused = replicas[0]?.take(key);
    await expect(refused).rejects.toMatchObject({ code: 'too_many_plays' });
    const { retryAfterSeconds } = (await refused?.catch((error: unknown) => error)) as { retryAfterSeconds: number };
    expect(retryAfterSeconds).toBeLessThanOrEqual(10);
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(10 - (performance.now() - from) / 1_000);
    // those of another key and another company are not
    await replicas[0]?.take({ ...key, credentialId: 'another' });
    expect(await taken(replicas, keyOf('another'), 2 * PER_MINUTE)).toBe(PER_MINUTE);
  });

  it('may all come at once, whatever their number is', async () => {
    const counting = [await connectedReplica(), replica('redis://127.0.0.1:1', () => 54_321.123).budget];
    for (const [n, budget] of counting.entries()) {
      for (const perMinute of [1, 7, 11, 19, 23]) {
        const key = keyOf(`at once ${n} ${perMinute}`, perMinute);
        expect([n, perMinute, await taken([budget], key, perMinute + 3)]).toEqual([n, perMinute, perMinute]);
      }
    }
  });

  it('are counted by each replica for itself while Redis is unreachable: at most the limit times their number', async () => {
    const nowhere = 'redis://127.0.0.1:1';
    let nowMs = 1_000;
    const replicas = [1, 2].map(() => replica(nowhere, () => nowMs).budget);
    const key = keyOf('apart');
    expect(await taken(replicas, key, 6 * PER_MINUTE)).toBe(2 * PER_MINUTE);
    // in the next minute as many again, and no more
    nowMs += 60_000;
    expect(await taken(replicas, key, 6 * PER_MINUTE)).toBe(2 * PER_MINUTE);
  });
});
