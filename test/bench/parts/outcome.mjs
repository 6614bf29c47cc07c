// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { percentiles } from '../load/tally.mjs';
import { expectedText } from '../the-play.mjs';

const LOOK_EVERY_MS = 100;
const SLOWEST_DRAIN_PER_SECOND = 200;
const DRAIN_AT_LEAST_MS = 40_000;
const TEXTS_LOOKED_AT = 50;

/** @typedef {import('mongoose').mongo.Collection<any>} Plays */
/** @typedef {ReturnType<typeof import('../target/target.mjs').createTarget>} Target */

/**
 * Waits until every accepted play is DONE in MongoDB, with a time limit.
 * @param {Plays} plays @param {Target} target @param {number} accepted
 * @param {() => void} goOn throws when there is nothing left to wait for
 */
export async function drain(plays, target, accepted, goOn) {
  const deadline = Date.now() + DRAIN_AT_LEAST_MS + (1_000 * accepted) / SLOWEST_DRAIN_PER_SECOND;
  while (Date.now() < deadline) {
    const { calls } = await target.ledger();
    if (calls >= accepted && (await plays.countDocuments({ state: 'DONE' })) >= accepted) return;
    await delay(LOOK_EVERY_MS);
    goOn();
  }
}

/**
 * The faults of a leg's outcome, in sentences: lost plays, repeated calls, wrong texts.
 * @param {Plays} plays @param {Target} target @param {number} accepted
 * @returns {Promise<string[]>}
 */
export async function problemsOf(plays, target, accepted) {
  const problems = [];
  const done = await plays.countDocuments({ state: 'DONE' });
  const stored = await plays.countDocuments();
  if (accepted === 0) problems.push('no run was accepted');
  if (done !== accepted) problems.push(`${accepted} plays were accepted and ${done} are DONE`);
  if (stored !== accepted) problems.push(`${accepted} plays were accepted and ${stored} are stored`);
  const { calls, distinct, mostCalls } = await target.ledger();
  if (calls !== accepted) problems.push(`${accepted} plays were accepted and the target was called ${calls} times`);
  if (distinct !== calls) problems.push(`the target was called up to ${mostCalls} times by one play`);
  const sample = await plays
    .aggregate([{ $match: { state: 'DONE' } }, { $sample: { size: TEXTS_LOOKED_AT } }])
    .toArray();
  for (const play of sample) {
    const text = play.layers?.[1]?.out?.text;
    if (text === expectedText(play.args.n)) continue;
    problems.push(`play ${play._id} (run ${play.args.n}) made the text ${JSON.stringify(text)}`);
    break;
  }
  return problems;
}

/**
 * What MongoDB recorded about the measured time, by its own clock.
 * @param {Plays} plays @param {Date} from @param {Date} to
 */
export async function recorded(plays, from, to) {
  const completed = await plays.countDocuments({ completedAt: { $gte: from, $lt: to } });
  const times = await plays
    .find(
      { createdAt: { $gte: from, $lt: to }, state: 'DONE' },
      { projection: { _id: 0, createdAt: 1, completedAt: 1 } },
    )
    .toArray();
  const completeMs = percentiles(
    times.map(({ createdAt, completedAt }) => completedAt.getTime() - createdAt.getTime()),
  );
  return { completed, completeMs };
}
