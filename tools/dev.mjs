// `npm run dev`: runs the standalone app as `npm start` does; after each change of a source it builds and starts the app
// again. A source that does not build is reported, and the app goes on as it was. Ctrl-C stops all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { isBuilt } from './setup/build.mjs';
import { endWithNpm } from './setup/end-with-npm.mjs';
import { NODE24, NODE_FLAGS, inRoot, runEnv } from './setup/root.mjs';
import { say } from './setup/say.mjs';
import { setUp } from './setup/set-up.mjs';
import { WATCHED, isSource } from './setup/sources.mjs';
import { explain, giveUp } from './setup/trouble.mjs';

/** An editor that saves several files, or a checkout of another branch, starts one build. */
const QUIET_MS = 200;

/** @type {import('node:child_process').ChildProcess | undefined} */
let app;
let isStopping = false;
/** @type {Promise<unknown>} */
let restarting = Promise.resolve();

endWithNpm();
try {
  await setUp();
} catch (error) {
  giveUp(error);
}
watchSources(() => (restarting = restarting.then(restart).catch(explain)));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => void end());
start();

function start() {
  const started = spawn(NODE24, [...NODE_FLAGS, inRoot('dist', 'apps', 'standalone', 'src', 'main.js')], {
    env: runEnv(),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  started.once('error', giveUp);
  started.once('exit', (code) => {
    if (app !== started) return;
    app = undefined;
    if (!isStopping) say(`the app has ended (exit code ${code}): the next change of a source starts it again`);
  });
  app = started;
}

async function restart() {
  if (isStopping || isBuilt()) return;
  await setUp();
  await stop();
  if (!isStopping) start();
}

async function stop() {
  const stopping = app;
  app = undefined;
  if (stopping === undefined) return;
  stopping.kill('SIGTERM');
  await once(stopping, 'exit');
}

async function end() {
  if (isStopping) return;
  isStopping = true;
  await Promise.all([stop(), restarting]);
  process.exit(0);
}

/** @param {() => void} onChange called once for changes that follow each other closely */
function watchSources(onChange) {
  /** @type {NodeJS.Timeout | undefined} */
  let quiet;
  for (const folder of WATCHED) {
    watch(inRoot(folder), { recursive: true }, (_event, file) => {
      if (!isSource(file ?? '')) return;
      clearTimeout(quiet);
      quiet = setTimeout(onChange, QUIET_MS);
    });
  }
}
