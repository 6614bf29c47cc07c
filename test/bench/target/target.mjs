// @ts-check
import { ask } from '../machine/processes.mjs';

const ANSWER_WITHIN_MS = 5_000;
let lastQuestion = 0;

/** @typedef {{ calls: number, distinct: number, mostCalls: number }} Ledger calls in all, runs that called, most calls of one run */

/**
 * The bench's end of the target's process.
 * @param {import('../machine/processes.mjs').Started} started
 */
export function createTarget(started) {
  return {
    origin: `http://127.0.0.1:${started.ready.port}`,
    /** @returns {Promise<Ledger>} */
    ledger() {
      const question = (lastQuestion += 1);
      return ask(started, { ledger: question }, (answer) => answer.ledger === question, ANSWER_WITHIN_MS);
    },
  };
}
