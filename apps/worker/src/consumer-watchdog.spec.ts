import { describe, expect, it } from 'vitest';
import { ConsumerWatchdog } from './consumer-watchdog.js';

const LOOK_EVERY_MS = 5_000;

/** A consumer that last looked for work at `lookedAt`. */
function setUp() {
  const state = { now: 0, lookedAt: 0, answers: true };
  const wedged: number[] = [];
  const watch = new ConsumerWatchdog({
    silentMs: () => state.now - state.lookedAt,
    isRedisAnswering: () => Promise.resolve(state.answers),
    stuckAfterMs: 20_000,
    observeEveryMs: LOOK_EVERY_MS,
    onStuck: (silentMs) => wedged.push(silentMs),
    monotonicMs: () => state.now,
  });
  /** @param idle whether the consumer looks for work meanwhile */
  const pass = async (ms: number, idle = false) => {
    for (const until = state.now + ms; state.now < until;) {
      state.now += LOOK_EVERY_MS;
      if (idle) state.lookedAt = state.now - 10;
      await watch.observe();
    }
  };
  return { state, watch, wedged, pass };
}

describe('ConsumerWatchdog', () => {
  it('finds a consumer wedged that does not look for work while Redis answers, and says so once', async () => {
    const { watch, wedged, pass } = setUp();
    await pass(15_000);
    expect(wedged).toEqual([]);
    await pass(30_000);
    expect(wedged).toEqual([20_000]);
    await expect(watch.check()).resolves.toMatchObject({ status: 'unhealthy' });
  });

  it('blames nobody while Redis is away, nor right after it came back', async () => {
    const { state, watch, wedged, pass } = setUp();
    state.answers = false;
    await pass(60_000);
    state.answers = true;
    await pass(15_000);
    expect(wedged).toEqual([]);
    await expect(watch.check()).resolves.toEqual({ status: 'healthy' });
    await pass(5_000);
    expect(wedged).toHaveLength(1);
  });

  it('leaves a consumer alone that looks for work', async () => {
    const { wedged, pass } = setUp();
    await pass(60_000, true);
    expect(wedged).toEqual([]);
  });

  it('does not count the time for which the whole process was frozen', async () => {
    const { state, watch, wedged, pass } = setUp();
    await pass(60_000, true);
    state.now += 600_000;
    await watch.observe();
    await pass(15_000, true);
    expect(wedged).toEqual([]);
  });
});
