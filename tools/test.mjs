// `npm test [-- <vitest arguments>]`: sets the checkout up, runs every vitest project on the product's own Node 24, once
// (with `--watch`: again after each change). Last line: `N passed, N failed`.
import { become } from './setup/run.mjs';
import { NODE24, ROOT, inRoot, runEnv } from './setup/root.mjs';
import { setUp } from './setup/set-up.mjs';
import { explain } from './setup/trouble.mjs';

try {
  await setUp();
  const args = process.argv.slice(2);
  const command = args.includes('--watch') ? [] : ['run'];
  const vitest = inRoot('node_modules', 'vitest', 'vitest.mjs');
  process.exit(await become(NODE24, [vitest, ...command, ...args], { cwd: ROOT, env: runEnv() }));
} catch (error) {
  explain(error);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
