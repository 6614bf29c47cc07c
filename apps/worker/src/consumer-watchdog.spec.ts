import { describe, expect, it } from 'vitest';
import { ConsumerWatchdog } from './consumer-watchdog.js';

const LOOK_EVERY_MS = 5_000;

/** A consumer that last looked for work at `lookedAt`. */
function setUp() {
  const state = { now: 0, lookedAt: 0, isUsable: true };
  const wedged: number[] = [];
  const watch = new ConsumerWatchdog({
    silentMs: () => state.now - state.lookedAt,
    isRedisUsable: () => state.isUsable,
    stuckAfterMs: 20_000,
    observeEveryMs: LOOK_EVERY_MS,
    onStuck: (silentMs) => wedged.push(silentMs),
    monotonicMs: () => state.now,
  });
  /** @param idle whether the consumer looks for work meanwhile */
  const pass = (ms: number, idle = false) => {
    for (const until = state.now + ms; state.now < until;) {
      state.now += LOOK_EVERY_MS;
      if (idle) state.lookedAt = state.now - 10;
      watch.observe();
    }
  };
  return { state, watch, wedged, pass };
}

describe('ConsumerWatchdog', () => {
  it('finds a consumer wedged that does not look for work while Redis is usable, and says so once', async () => {
    const { watch, wedged, pass } = setUp();
    pass(15_000);
    expect(wedged).toEqual([]);
    pass(30_000);
    expect(wedged).toEqual([20_000]);
    await expect(watch.check()).resolves.toMatchObject({ status: 'unhealthy' });
  });

  it('blames nobody while Redis is away or refuses writes, nor right after it came back', async () => {
    const { state, watch, wedged, pass } = setUp();
    state.isUsable = false;
    pass(60_000);
    state.isUsable = true;
    pass(15_000);
    expect(wedged).toEqual([]);
    await expect(watch.check()).resolves.toEqual({ status: 'healthy' });
    pass(5_000);
    expect(wedged).toHaveLength(1);
  });

  it('leaves a consumer alone that looks for work', () => {
    const { wedged, pass } = setUp();
    pass(60_000, true);
    expect(wedged).toEqual([]);
  });

  it('does not count the time for which the whole process was frozen', () => {
    const { state, watch, wedged, pass } = setUp();
    pass(60_000, true);
    state.now += 600_000;
    watch.observe();
    pass(15_000, true);
    expect(wedged).toEqual([]);
  });
});
