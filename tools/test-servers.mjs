// vitest's `globalSetup` of the projects whose specs need servers: MongoDB and Redis for this run alone (or those of
// MONGODB_URI and REDIS_URL), and a folder for what the specs write. Started once, when the first of those projects runs a
// spec; they end with vitest, also when it is interrupted.
import { spawn } from 'node:child_process';
import { provideServers } from './servers/index.mjs';
import { inRoot } from './setup/root.mjs';
import { say, step } from './setup/say.mjs';
import { setUp } from './setup/set-up.mjs';
import { explain } from './setup/trouble.mjs';
import { abandonRun, openRun, sweepAbandonedRuns } from './test-run.mjs';

/**
 * @typedef {{ mongodbUri: string, redisUrl: string, folder: string }} TestRun what a spec is given: libs/testing/src/test-run.ts
 * @typedef {{ users: number, run: TestRun, stop: () => Promise<void> }} Opened
 */

/** Each project evaluates this file for itself: what they share is kept here. */
const shared = /** @type {{ opened?: Promise<Opened> | undefined }} */ (
  /** @type {Record<symbol, unknown>} */ (globalThis)[Symbol.for('weft.test-servers')] ??= {}
);

/** The files of databases that specs have dropped stay open this long: in 300 s they are more than a process may open. */
const HISTORY_SECONDS = 20;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * vitest exits at the first SIGINT or SIGTERM. A second one comes from `npm test`, which passes on what the terminal sent to
 * all: without a listener it would end this process before its `exit` event.
 * @param {NodeJS.Signals} signal
 */
const stayUntilExit = (signal) => signal === 'SIGHUP' && process.exit(129);

/** @param {import('vitest/node').TestProject} project */
export default async function setup(project) {
  // Specs start the built processes: an editor or a watching vitest did not come by way of `npm test`.
  const buildWhatChanged = async () => setUp();
  await buildWhatChanged();
  project.onTestsRerun(buildWhatChanged);
  const opening = (shared.opened ??= open());
  const opened = await opening.catch((/** @type {unknown} */ error) => {
    shared.opened = undefined;
    explain(error);
    throw new Error('The servers of this test run could not be started.');
  });
  opened.users += 1;
  project.provide('testRun', opened.run);
  return async () => {
    opened.users -= 1;
    if (opened.users > 0) return;
    shared.opened = undefined;
    await opened.stop();
  };
}

/** @returns {Promise<Opened>} */
async function open() {
  await sweepAbandonedRuns();
  const folder = await openRun();
  // At Ctrl-C vitest exits without a teardown. What ends the servers outlives it: they are gone only when it has gone.
  const script = inRoot('tools', 'test-run.mjs');
  const abandon = () => spawn(process.execPath, [script, folder], { detached: true, stdio: 'ignore' }).unref();
  process.once('exit', abandon);
  for (const signal of SIGNALS) process.on(signal, stayUntilExit);
  const close = async () => {
    await abandonRun(folder);
    process.off('exit', abandon);
    for (const signal of SIGNALS) process.off(signal, stayUntilExit);
  };
  try {
    const provide = () => provideServers({ folder, env: process.env, log: say, historySeconds: HISTORY_SECONDS });
    const { mongodbUri, redisUrl, stop } = await step('providing MongoDB and Redis for this run', provide);
    const stopAll = async () => {
      await stop();
      await close();
    };
    return { users: 0, run: { mongodbUri, redisUrl, folder }, stop: stopAll };
  } catch (error) {
    await close();
    throw error;
  }
}
