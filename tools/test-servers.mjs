// vitest's `globalSetup`: MongoDB and Redis for this run alone (or those of MONGODB_URI and REDIS_URL), and a folder for what the
// specs write. They end with vitest, also when it is interrupted.
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { provideServers } from './servers/index.mjs';
import { inRoot } from './setup/root.mjs';
import { say, step } from './setup/say.mjs';
import { setUp } from './setup/set-up.mjs';
import { explain } from './setup/trouble.mjs';
import { abandonRun, openRun, sweepAbandonedRuns } from './test-run.mjs';

/** @typedef {{ mongodbUri: string, redisUrl: string, folder: string }} TestRun what a spec is given: libs/testing/src/test-run.ts */

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
  const { run, stop } = await open().catch((/** @type {unknown} */ error) => {
    explain(error);
    throw new Error('The servers of this test run could not be started.');
  });
  project.provide('testRun', run);
  return stop;
}

/**
 * Removes what the run left on servers that go on after it: those that the environment names.
 * @param {{ mongodbUri: string, redisUrl: string, name: string }} run
 */
async function forget({ mongodbUri, redisUrl, name }) {
  if (process.env.MONGODB_URI) {
    const client = await mongoose.mongo.MongoClient.connect(mongodbUri);
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    const ours = databases.filter((database) => database.name.startsWith(name));
    for (const database of ours) await client.db(database.name).dropDatabase();
    await client.close();
  }
  if (process.env.REDIS_URL) {
    const redis = new Redis(redisUrl);
    for await (const keys of redis.scanStream({ match: `*${name}*`, count: 1_000 })) {
      if (keys.length > 0) await redis.unlink(keys);
    }
    await redis.quit();
  }
}

/** @returns {Promise<{ run: TestRun, stop: () => Promise<void> }>} */
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
      await forget({ mongodbUri, redisUrl, name: basename(folder) });
      await stop();
      await close();
    };
    return { run: { mongodbUri, redisUrl, folder }, stop: stopAll };
  } catch (error) {
    await close();
    throw error;
  }
}
