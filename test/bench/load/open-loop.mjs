// @ts-check
import { createRunClient } from './run-client.mjs';

const TICK_MS = 1;

/**
 * Posts `rate` runs per second, independent of the answers, like real callers. A request never waits for a connection, so it
 * measures the system's latency; the delay of the generator itself is `maxLagMs`.
 *
 * @param {import('./generator.mjs').LoadPlan} plan
 * @param {import('./tally.mjs').Tally} tally
 * @param {() => number} nextRun
 */
export async function openLoop(plan, tally, nextRun) {
  const client = createRunClient(plan.request, null);
  const rate = plan.rate ?? 0;
  const started = performance.now();
  let sent = 0;
  let maxLagMs = 0;
  /** @type {Set<Promise<void>>} */
  const underWay = new Set();

  async function post() {
    const inWindow = tally.isMeasuring();
    const start = performance.now();
    try {
      const { status, body } = await client.run(nextRun());
      if (status === 202) tally.accept(performance.now() - start, inWindow);
      else tally.refuse(`${status} ${body.slice(0, 300)}`);
    } catch (error) {
      tally.refuse(String(error));
    }
  }

  const timer = setInterval(() => {
    const elapsedMs = performance.now() - started;
    const due = Math.floor((elapsedMs * rate) / 1_000);
    if (sent < due) maxLagMs = Math.max(maxLagMs, elapsedMs - ((sent + 1) * 1_000) / rate);
    for (; sent < due; sent += 1) {
      const request = post().finally(() => underWay.delete(request));
      underWay.add(request);
    }
  }, TICK_MS);

  return async () => {
    clearInterval(timer);
    await Promise.all(underWay);
    await client.close();
    return { maxLagMs };
  };
}
