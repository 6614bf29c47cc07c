// @ts-check
import { ask } from '../machine/processes.mjs';

const START_WITHIN_MS = 10_000;
const STOP_WITHIN_MS = 60_000;

/**
 * The bench's end of the load generator's process.
 * @param {import('../machine/processes.mjs').Started} started
 */
export function createLoad(started) {
  return {
    /** @param {import('./generator.mjs').LoadPlan} plan @returns {Promise<void>} */
    start: async (plan) =>
      void (await ask(started, { start: plan }, (answer) => answer.started === true, START_WITHIN_MS)),
    begin: () => started.child.send({ window: 'begin' }),
    end: () => started.child.send({ window: 'end' }),
    /** @returns {Promise<import('./generator.mjs').LoadReport>} when every request under way has been answered */
    stop: async () => (await ask(started, { stop: true }, (answer) => 'stopped' in answer, STOP_WITHIN_MS)).stopped,
  };
}
