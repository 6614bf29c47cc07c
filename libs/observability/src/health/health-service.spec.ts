import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { CheckResult, HealthCheck } from './health-check.js';
import { HealthService } from './health-service.js';

const HEALTHY: CheckResult = { status: 'healthy', latency_ms: 1 };

class FakeCheck implements HealthCheck {
  readonly name = 'fake';
  looks = 0;
  answer: () => Promise<CheckResult> = () => Promise.resolve(HEALTHY);
  met: Error | undefined;
  check(): Promise<CheckResult> {
    this.looks += 1;
    return this.answer();
  }
  lastError(): Error | undefined {
    return this.met;
  }
}

describe('HealthService', () => {
  let health: HealthService;
  let database: FakeCheck;
  let queue: FakeCheck;
  const turned: string[] = [];

  beforeEach(() => {
    vi.useFakeTimers();
    turned.length = 0;
    health = new HealthService({
      version: '1.2.3+4c1f2ab90d11',
      loadedAt: new Date('2026-01-02T03:04:05.678Z'),
      onChange: (check, { status }) => turned.push(`${check} ${status}`),
    });
    database = new FakeCheck();
    queue = new FakeCheck();
    health.add(database, { part: 'database', fatal: true });
    health.add(queue, { part: 'queue', fatal: false });
  });
  afterEach(() => {
    health.stop();
    vi.useRealTimers();
  });

  it('is unhealthy until it has looked', async () => {
    expect(health.report().status).toBe('unhealthy');
    await health.start();
    expect(health.isHealthy).toBe(true);
  });

  it('reports in the shape of the contract', async () => {
    await health.start();
    expect(health.report()).toEqual({
      status: 'healthy',
      version: '1.2.3+4c1f2ab90d11',
      timestamp: new Date().toISOString(),
      checks: {
        database: HEALTHY,
        config: { status: 'ok', loaded_at: '2026-01-02T03:04:05.678Z' },
        components: { status: 'ok', ai: 'ready', storage: 'ready' },
        queue: HEALTHY,
      },
    });
  });

  it('tells the build to insiders only', async () => {
    await health.start();
    expect([health.report().version, health.report(false).version]).toEqual(['1.2.3+4c1f2ab90d11', '1.2.3']);
  });

  it('tells nothing of what a look finds that was under way when it was stopped', async () => {
    await health.start();
    const closed = Promise.withResolvers<CheckResult>();
    database.answer = () => closed.promise;
    await vi.advanceTimersByTimeAsync(2_000);
    health.stop();
    closed.reject(new Error('the connection was closed'));
    await vi.advanceTimersByTimeAsync(0);
    expect(health.isHealthy).toBe(false);
    expect(turned).toEqual([]);
  });

  it('shows within five seconds that a database hangs, and that it is back', async () => {
    await health.start();
    let release: (result: CheckResult) => void = () => undefined;
    database.answer = () => new Promise((resolve) => (release = resolve));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(health.isHealthy).toBe(false);
    expect(health.report().checks.database.error).toBe('no answer within 2500 ms');
    expect(health.report().checks.components.storage).toBe('unavailable');

    database.answer = () => Promise.resolve(HEALTHY);
    release(HEALTHY);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(health.isHealthy).toBe(true);
    expect(turned).toEqual(['fake unhealthy', 'fake healthy']);
  });

  it('says of a check that is late what its connection met', async () => {
    database.met = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    database.answer = () => new Promise(() => undefined);
    void health.start();
    await vi.advanceTimersByTimeAsync(2_500);
    expect(health.report().checks.database.error).toBe('no answer within 2500 ms: connection failed (ECONNREFUSED)');
  });

  it('takes no check for late because this process stood still', async () => {
    database.answer = () => new Promise(() => undefined);
    const now = performance.now.bind(performance);
    let stoodMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodMs);
    void health.start();
    await vi.advanceTimersByTimeAsync(1_900);
    stoodMs = 60_000;
    await vi.advanceTimersByTimeAsync(900);
    expect(health.report().checks.database.error).toBe('not checked yet');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(health.report().checks.database.error).toBe('no answer within 2500 ms');
    clock.mockRestore();
  });

  it('looks rarely at what hardly ever changes, and in each round while that is ill', async () => {
    const rare = new FakeCheck();
    health.add(rare, { part: 'storage', fatal: false, everyMs: 9_000 });
    await health.start();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(rare.looks).toBe(1);
    rare.answer = () => Promise.reject(new Error('gone'));
    await vi.advanceTimersByTimeAsync(1);
    expect(rare.looks).toBe(2);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(rare.looks).toBe(4);
  });

  it('does not pile up looks at what hangs', async () => {
    await health.start();
    database.answer = () => new Promise(() => undefined);
    const before = database.looks;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(database.looks).toBe(before + 1);
  });

  it('names the store, its address and the kind of trouble to insiders, and never the whole message', async () => {
    const check = Object.assign(new FakeCheck(), { where: 'MongoDB at 10.1.2.3:27017' });
    check.answer = () => {
      const error = new Error('connect ECONNREFUSED 10.1.2.3:27017 with {"token":"secret"}');
      error.name = 'MongoServerSelectionError';
      return Promise.reject(error);
    };
    const located = new HealthService({ version: '1', loadedAt: new Date(0) });
    located.add(check, { part: 'database', fatal: true });
    await located.start();
    const error = 'MongoDB at 10.1.2.3:27017: connection timeout (ECONNREFUSED)';
    expect(located.report().checks.database).toMatchObject({ status: 'unhealthy', error });
    expect(JSON.stringify(located.report(false))).not.toMatch(/10\.1\.2\.3|ECONNREFUSED/);
    located.stop();
  });

  it('tells by parts what is well, and whether the process can do its work', async () => {
    queue.answer = () => Promise.resolve({ status: 'unhealthy', error: 'gone' });
    expect([...health.parts()]).toEqual([
      ['process', false],
      ['database', false],
      ['queue', false],
    ]);
    await health.start();
    expect([...health.parts()]).toEqual([
      ['process', true],
      ['database', true],
      ['queue', false],
    ]);
  });

  it('stays healthy without what it can do without', async () => {
    queue.answer = () => Promise.resolve({ status: 'unhealthy', error: 'gone' });
    await health.start();
    expect(health.report()).toMatchObject({ status: 'healthy', checks: { queue: { status: 'unhealthy' } } });
  });

  it('shows what its components lack, and is healthy without them', async () => {
    const [storage, ai] = [new FakeCheck(), new FakeCheck()];
    health.add(storage, { part: 'storage', fatal: false });
    health.add(ai, { part: 'ai', fatal: false });
    const components = () => health.report().checks.components;
    await health.start();
    expect(components()).toEqual({ status: 'ok', ai: 'ready', storage: 'ready' });
    ai.answer = () => Promise.reject(new Error('nobody there'));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(components()).toEqual({ status: 'unavailable', ai: 'unavailable', storage: 'ready' });
    storage.answer = ai.answer;
    ai.answer = () => Promise.resolve(HEALTHY);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(components()).toEqual({ status: 'unavailable', ai: 'ready', storage: 'unavailable' });
    expect(health.isHealthy).toBe(true);
  });

  it('tells outsiders that something is wrong, and not what', async () => {
    for (const check of [database, queue]) check.answer = () => Promise.reject(new Error('gone'));
    await health.start();
    expect(JSON.stringify(health.report())).toContain('not usable');
    const told = JSON.parse(JSON.stringify(health.report(false))) as unknown;
    const ill = { status: 'unhealthy', latency_ms: expect.any(Number) as number };
    expect(told).toMatchObject({ status: 'unhealthy' });
    expect((told as { checks: object }).checks).toMatchObject({ database: ill, queue: ill });
    expect(JSON.stringify(told)).not.toContain('error');
  });

  it('shows the worst of a part', async () => {
    const canary = new FakeCheck();
    canary.answer = () => Promise.resolve({ status: 'unhealthy', error: 'not consumed' });
    health.add(canary, { part: 'queue', fatal: true });
    await health.start();
    expect(health.report()).toMatchObject({ status: 'unhealthy', checks: { queue: { error: 'not consumed' } } });
  });

  it('knows by name what the last look of a check found', async () => {
    const redis = Object.assign(new FakeCheck(), { name: 'redis' });
    redis.answer = () => Promise.reject(new Error("READONLY You can't write against a read only replica"));
    health.add(redis, { part: 'queue', fatal: true });
    await health.start();
    expect([health.isWellBy('redis'), health.isWellBy('fake')]).toEqual([false, true]);
    redis.answer = () => Promise.resolve(HEALTHY);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(health.isWellBy('redis')).toBe(true);
  });

  it('is not ready while it drains, and still healthy', async () => {
    await health.start();
    health.startDraining();
    expect([health.isHealthy, health.isReady]).toEqual([true, false]);
  });
});
