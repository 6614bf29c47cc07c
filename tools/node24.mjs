// Runs a script on the product's own Node 24, installing and building first where needed:
//   node tools/node24.mjs <script> [arguments]
import { become } from './setup/run.mjs';
import { NODE24, NODE_FLAGS, runEnv } from './setup/root.mjs';
import { setUp } from './setup/set-up.mjs';
import { giveUp } from './setup/trouble.mjs';

const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  console.error('usage: node tools/node24.mjs <script> [arguments]');
  process.exit(2);
}
try {
  // `npm run build` runs through this script, too: it must not build before the build.
  await setUp({ buildToo: script.startsWith('dist/') || script.startsWith('test/') });
  process.exit(await become(NODE24, [...NODE_FLAGS, script, ...args], { env: runEnv() }));
} catch (error) {
  giveUp(error);
}
