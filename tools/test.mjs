// `npm test [-- <vitest arguments>]`: sets the checkout up, then runs specs on the product's own Node 24, once (with `--watch`: again
// after each change). Which ones: those whose paths are given, or those of `--kinds=unit,int` (tools/test-kinds.mjs), or all but the
// long fault tests, which are `npm run test:faults`. Last line: `N passed, N failed`.
import { existsSync } from 'node:fs';
import { endWithNpm } from './setup/end-with-npm.mjs';
import { become } from './setup/run.mjs';
import { NODE24, ROOT, inRoot, runEnv } from './setup/root.mjs';
import { setUp } from './setup/set-up.mjs';
import { explain } from './setup/trouble.mjs';
import { DAILY, KINDS } from './test-kinds.mjs';

const KINDS_OPTION = '--kinds=';

endWithNpm();
try {
  await setUp();
  const args = process.argv.slice(2).filter((arg) => !arg.startsWith(KINDS_OPTION));
  const command = args.includes('--watch') ? [] : ['run'];
  const vitest = inRoot('node_modules', 'vitest', 'vitest.mjs');
  const named = process.argv.find((arg) => arg.startsWith(KINDS_OPTION))?.slice(KINDS_OPTION.length);
  const hasPaths = args.some((arg) => !arg.startsWith('-') && existsSync(inRoot(arg)));
  const kinds = named?.split(',') ?? (hasPaths ? Object.keys(KINDS) : DAILY);
  const unknown = kinds.find((kind) => !(kind in KINDS));
  if (unknown !== undefined)
    throw new Error(`${unknown} is not a kind of specs. These are: ${Object.keys(KINDS).join(', ')}`);
  const env = { ...runEnv(), WEFT_TESTS: kinds.join() };
  process.exit(await become(NODE24, [vitest, ...command, ...args], { cwd: ROOT, env }));
} catch (error) {
  explain(error);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
