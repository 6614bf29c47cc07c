import { describe, expect, it } from 'vitest';
import { ConsumptionWatch } from './consumption-watch.js';

function setUp(state: { silentMs: number; answers: boolean }, wedgedAfterMs = 20) {
  const wedged: number[] = [];
  const watch = new ConsumptionWatch({
    silentMs: () => state.silentMs,
    redisAnswers: () => Promise.resolve(state.answers),
    wedgedAfterMs,
    lookEveryMs: 1_000_000,
    onWedged: (silentMs) => wedged.push(silentMs),
  });
  const lookFor = async (ms: number) => {
    const until = performance.now() + ms;
    while (performance.now() < until) {
      await watch.look();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { watch, wedged, lookFor };
}

describe('ConsumptionWatch', () => {
  it('finds a consumer wedged that does not look for work while Redis answers, and says so once', async () => {
    const { watch, wedged, lookFor } = setUp({ silentMs: 60, answers: true });
    await lookFor(60);
    expect(wedged).toEqual([60]);
    await expect(watch.check()).resolves.toMatchObject({ status: 'unhealthy' });
  });

  it('blames nobody while Redis is away, nor right after it came back', async () => {
    const state = { silentMs: 60_000, answers: false };
    const { watch, wedged, lookFor } = setUp(state, 1_000);
    await lookFor(30);
    state.answers = true;
    await lookFor(30);
    expect(wedged).toEqual([]);
    await expect(watch.check()).resolves.toEqual({ status: 'healthy' });
  });

  it('leaves a consumer alone that looks for work', async () => {
    const { wedged, lookFor } = setUp({ silentMs: 5, answers: true });
    await lookFor(50);
    expect(wedged).toEqual([]);
  });
});
