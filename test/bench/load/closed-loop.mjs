// @ts-check
import { followProgress } from './progress.mjs';
import { createRunClient } from './run-client.mjs';

/**
 * Every connection posts its next run when the last one is answered, unless `maxOutstanding` accepted plays have not
 * reached the target yet: then it waits for the workers. So the resulting rate is that of accepting and executing
 * together, and the backlog stays small. Without `maxOutstanding`, only the answers limit the rate.
 *
 * @param {import('./generator.mjs').LoadPlan} plan
 * @param {import('./tally.mjs').Tally} tally
 * @param {() => number} nextRun
 */
export async function closedLoop(plan, tally, nextRun) {
  const client = createRunClient(plan.request, plan.connections);
  const limit = plan.maxOutstanding ?? Infinity;
  let stopped = false;
  let calls = 0;
  let sent = 0;
  /** @type {(() => void)[]} */
  const gated = [];

  const openGate = () => {
    while (gated.length > 0 && (stopped || sent - calls < limit)) {
      sent += 1; // counted before it is sent
      gated.shift()?.();
    }
  };
  const unfollow = await followProgress(plan.targetOrigin, (count) => {
    calls = count - plan.callsBefore;
    openGate();
  });

  async function connection() {
    while (!stopped) {
      if (sent - calls >= limit) await new Promise((resolve) => gated.push(() => resolve(undefined)));
      else sent += 1;
      if (stopped) return;
      const inWindow = tally.isMeasuring();
      const start = performance.now();
      try {
        const { status, body } = await client.run(nextRun());
        if (status === 202) tally.accept(performance.now() - start, inWindow);
        else {
          sent -= 1;
          tally.refuse(`${status} ${body.slice(0, 300)}`);
          if (status !== 429) stopped = true;
        }
      } catch (error) {
        sent -= 1;
        tally.refuse(String(error));
        stopped = true;
      }
    }
  }
  const connections = Promise.all(Array.from({ length: plan.connections }, connection));

  return async () => {
    stopped = true;
    openGate();
    await connections;
    unfollow();
    await client.close();
  };
}
