// `npm run test:faults`: all fault tests, and the checks of which `npm test` makes a part. When they have passed, the state of what they
// prove is noted in test/chaos/proved: commit it. With `--if-changed` (CI): does nothing when that state is the one that is noted.
// With a path: only those specs, and notes nothing. Last line: `N passed, N failed`.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { endWithNpm } from './setup/end-with-npm.mjs';
import { become, run } from './setup/run.mjs';
import { ROOT, inRoot } from './setup/root.mjs';
import { say } from './setup/say.mjs';

const NOTE = inRoot('test', 'chaos', 'proved');
/** The run path, what layers run on, and the fault tests themselves. */
const PROVED = [
  ...[
    'engine',
    'runs',
    'queue',
    'redis',
    'store',
    'records',
    'realtime-bus',
    'webhooks',
    'process',
    'layers',
    'egress',
    'sandbox',
  ].map((lib) => `libs/${lib}/src`),
  ...['api/src/plays', 'worker/src', 'scheduler/src', 'realtime/src'].map((app) => `apps/${app}`),
  ...['test/chaos', 'test/e2e/harness', 'tools/servers', 'libs/engine/model', 'test/model'],
];
/** Each in full, where `npm test` makes a part. */
const MORE = [
  'test/chaos',
  'apps/api/src/http/worst-megabyte.int.spec.ts',
  'test/e2e/dashboard-looks.e2e.spec.ts',
  'apps/realtime/src/play-stream/play-feed.spec.ts',
  'libs/engine/src/protocol.model.spec.ts',
  'test/model/events.model.spec.ts',
  'test/model/window.model.spec.ts',
];

endWithNpm();
const args = process.argv.slice(2).filter((arg) => arg !== '--if-changed');
const state = await stateOf(PROVED);
if (process.argv.includes('--if-changed') && (await readFile(NOTE, 'utf8').catch(() => '')).trim() === state) {
  say('fault tests: nothing that they prove has changed since they passed');
  process.exit(0);
}
const specs = args.length > 0 ? args : MORE;
const code = await become(process.execPath, [inRoot('tools', 'test.mjs'), ...specs], {
  cwd: ROOT,
  env: { ...process.env, WEFT_EVERY: 'true' },
});
if (code === 0 && args.length === 0) await writeFile(NOTE, `${state}\n`);
process.exit(code);

/** @param {readonly string[]} paths */
async function stateOf(paths) {
  const { output } = await run('git', ['ls-files', '-z', '--', ...paths], { cwd: ROOT });
  const files = output
    .split('\0')
    .filter((path) => path !== '' && path !== 'test/chaos/proved' && !/^(apps|libs)\/.*\.spec\.ts$/.test(path));
  const hash = createHash('sha256');
  for (const path of files.sort()) hash.update(path).update(await readFile(inRoot(path)).catch(() => ''));
  return hash.digest('hex');
}
