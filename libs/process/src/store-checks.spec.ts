import { HealthService } from '@weft/observability';
import { Cluster } from 'ioredis';
import { watchErrors, type Redis } from '@weft/redis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { assertSuitableRedis } from './open-stores.js';
import { redisCheck, redisPolicyCheck } from './store-checks.js';

const SETTINGS = { queue: { prefix: 'test', shards: 1 } };

/** Answers PING, like everything else that a client sends by itself. */
class FakeRedis {
  status = 'ready';
  readonly options = { host: '10.0.0.3', port: 6380, password: 'swordfish' };
  onError: (error: Error) => void = () => undefined;
  policy = 'noeviction';
  aof = 1;
  onReady: () => void = () => undefined;
  on(event: 'error' | 'ready', listener: (error?: Error) => void): void {
    if (event === 'error') this.onError = listener;
    else this.onReady = listener;
  }
  set = (): Promise<unknown> => Promise.resolve('OK');
  mode = 'standalone';
  info = (section: string): Promise<string> =>
    Promise.resolve(
      section === 'server'
        ? `# Server\r\nredis_version:7.2.4\r\nredis_mode:${this.mode}\r\n`
        : section === 'memory'
          ? `# Memory\r\nmaxmemory_policy:${this.policy}\r\nmem_allocator:x\r\n`
          : `# Persistence\r\nloading:0\r\naof_enabled:${this.aof}\r\n`,
    );
}

describe('a Redis that', () => {
  let redis: FakeRedis;
  let health: HealthService;

  beforeEach(() => {
    vi.useFakeTimers();
    redis = new FakeRedis();
    health = new HealthService({ version: '1', loadedAt: new Date(0) });
    const asRedis = redis as unknown as Redis;
    health.add(redisCheck(asRedis, SETTINGS, 'api', watchErrors(asRedis)), { part: 'queue', fatal: true });
    health.add(redisPolicyCheck(asRedis), { part: 'queue', fatal: false });
  });
  afterEach(() => {
    health.stop();
    vi.useRealTimers();
  });

  it('is connected and answers nothing that counts is not well', async () => {
    await health.start();
    expect(health.isHealthy).toBe(true);
    redis.set = () => new Promise(() => undefined);
    await vi.advanceTimersByTimeAsync(4_600);
    expect(health.isHealthy).toBe(false);
    redis.set = () => Promise.reject(new Error('OOM command not allowed'));
    expect(health.report().checks.queue).toMatchObject({
      status: 'unhealthy',
      error: 'Redis at 10.0.0.3:6380: no answer within 2500 ms',
    });
  });

  it('refuses to write is not well', async () => {
    const refusal = Object.assign(new Error('MISCONF Errors writing to the AOF file'), { name: 'ReplyError' });
    redis.set = () => Promise.reject(refusal);
    await health.start();
    expect(health.isHealthy).toBe(false);
    const error = 'Redis at 10.0.0.3:6380: MISCONF Errors writing to the AOF file';
    expect(health.report().checks.queue).toMatchObject({ status: 'unhealthy', error });
  });

  it('cannot be reached is named with its address and what its connection met, and without its password', async () => {
    redis.status = 'reconnecting';
    redis.onError(Object.assign(new Error('connect ECONNREFUSED 10.0.0.3:6380'), { code: 'ECONNREFUSED' }));
    await health.start();
    const error = 'Redis at 10.0.0.3:6380: connection failed (ECONNREFUSED)';
    expect(health.report().checks.queue).toMatchObject({ status: 'unhealthy', error });
    expect(JSON.stringify(health.report())).not.toContain('swordfish');
  });

  it('closed the connection under a write is said to have closed it', async () => {
    redis.set = () => {
      redis.status = 'reconnecting';
      return Promise.reject(new Error('Connection is closed.'));
    };
    await health.start();
    const error = 'Redis at 10.0.0.3:6380: connection closed';
    expect(health.report().checks.queue).toMatchObject({ status: 'unhealthy', error });
  });

  it('closed the connection is said to have, without the reason of an earlier trouble', async () => {
    redis.onError(Object.assign(new Error('connect ECONNREFUSED 10.0.0.3:6380'), { code: 'ECONNREFUSED' }));
    redis.onReady();
    redis.status = 'reconnecting';
    await health.start();
    const error = 'Redis at 10.0.0.3:6380: connection closed';
    expect(health.report().checks.queue).toMatchObject({ status: 'unhealthy', error });
  });

  it('has lost one of its servers names that server, and what its connection met', async () => {
    await health.start();
    const cause = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    redis.onError(Object.assign(new Error('10.0.0.4:6379', { cause }), { name: 'UnreachedServer' }));
    const says = 'Too many Cluster redirections. Last error: Error: Connection is closed.';
    redis.set = () => Promise.reject(new Error(says));
    await vi.advanceTimersByTimeAsync(2_100);
    const error = 'Redis at 10.0.0.3:6380: 10.0.0.4:6379: connection failed (ECONNREFUSED)';
    expect(health.report().checks.queue).toMatchObject({ status: 'unhealthy', error });
  });

  it('may evict jobs shows so until it is set right, and work goes on', async () => {
    redis.policy = 'allkeys-lru';
    await health.start();
    expect(health.report()).toMatchObject({
      status: 'healthy',
      checks: {
        queue: {
          status: 'unhealthy',
          error: expect.stringMatching(
            /: maxmemory-policy is allkeys-lru, not noeviction: jobs may be evicted$/,
          ) as string,
        },
      },
    });
    redis.policy = 'noeviction';
    await vi.advanceTimersByTimeAsync(12_000);
    expect(health.report().checks.queue.status).toBe('healthy');
  });

  it('has no append-only file is well, as hosted ones are', async () => {
    redis.aof = 0;
    await health.start();
    expect(health.report().checks.queue.status).toBe('healthy');
    redis.policy = 'volatile-ttl';
    await vi.advanceTimersByTimeAsync(12_000);
    expect(health.report().checks.queue.error).toMatch(/: maxmemory-policy is volatile-ttl, [^;]*$/);
  });

  it('is a cluster shows so, also when it is reached long after the start', async () => {
    redis.status = 'reconnecting';
    await health.start();
    Object.assign(redis, { status: 'ready', mode: 'cluster' });
    await vi.advanceTimersByTimeAsync(12_000);
    expect(health.report().checks.queue.error).toContain('leads to a Redis Cluster: write redis+cluster://');
  });

  it.each([
    ['cluster', 'leads to a Redis Cluster'],
    ['sentinel', 'leads to a Sentinel'],
  ])('is a %s is refused at the start', async (mode, said) => {
    redis.mode = mode;
    await expect(assertSuitableRedis(redis as unknown as Redis)).rejects.toMatchObject({
      name: 'BootError',
      message: expect.stringContaining(said) as string,
    });
    redis.mode = 'standalone';
    await expect(assertSuitableRedis(redis as unknown as Redis)).resolves.toBeUndefined();
  });

  it.each([
    ['ERR This instance has cluster support disabled', 'REDIS_URL names a cluster'],
    ["ERR unknown command 'CLUSTER', with args beginning with: 'SLOTS'", 'REDIS_URL names a cluster'],
    ['WRONGPASS invalid username-password pair', null],
  ])('is to be a cluster and answers "%s" is refused only for its kind', async (message, said) => {
    const cluster = new Cluster([{ host: '10.0.0.3' }], { lazyConnect: true });
    const refused = assertSuitableRedis(cluster, new Error(message)).then(
      () => null,
      (error: Error) => error.message,
    );
    if (said === null) expect(await refused).toBeNull();
    else expect(await refused).toContain(said);
    cluster.disconnect();
  });

  it('does not say how it is set up is taken as it is', async () => {
    redis.info = () => Promise.reject(new Error('NOPERM'));
    await health.start();
    expect(health.report().checks.queue.status).toBe('healthy');
  });
});
