// `npm run check [-- --fix]`: what a reviewer need not look for. It stops at the first check that fails; with `--fix` it first
// fixes what a machine can fix. CI runs this, then `npm test`.
import { checkCitations } from './check-citations.mjs';
import { checkImports } from './check-imports.mjs';
import { checkProse } from './check-prose.mjs';
import { run } from './setup/run.mjs';
import { NODE24, ROOT, inRoot } from './setup/root.mjs';
import { say, step } from './setup/say.mjs';
import { setUp } from './setup/set-up.mjs';
import { giveUp } from './setup/trouble.mjs';

const FIX = process.argv.includes('--fix');

/**
 * @param {string} path of a command under node_modules
 * @param {readonly string[]} args
 * @returns {() => Promise<boolean>} whether it ended well
 */
function tool(path, args) {
  const all = [inRoot('node_modules', path), ...args];
  return async () => (await run(NODE24, all, { cwd: ROOT, show: true })).code === 0;
}

/** @type {readonly { name: string, check: () => Promise<boolean>, mend: string }[]} */
const CHECKS = [
  {
    name: 'format',
    check: tool('prettier/bin/prettier.cjs', [FIX ? '--write' : '--check', '--log-level', 'warn', '.']),
    mend: 'npm run format',
  },
  {
    name: 'lint',
    check: tool('oxlint/bin/oxlint', FIX ? ['--fix'] : []),
    mend: 'npm run check -- --fix mends some of it',
  },
  {
    name: 'lint rules',
    check: tool('../tools/check-lint.mjs', []),
    mend: 'oxlint.config.ts has the rules; nobody turns one off in a comment',
  },
  {
    name: 'types',
    check: tool('typescript7/bin/tsc', ['-p', 'tsconfig.json']),
    mend: 'the lines above name the places',
  },
  {
    name: 'types of the dashboard',
    check: tool('typescript7/bin/tsc', ['-p', 'apps/dashboard/tsconfig.json']),
    mend: 'the lines above name the places',
  },
  {
    name: 'types of the API',
    check: tool('../tools/docs/check-api-types.mjs', FIX ? ['--fix'] : []),
    mend: 'npm run docs writes libs/client/src/api-types.ts anew',
  },
  {
    name: 'size of the client',
    check: tool('../tools/client/check-size.mjs', []),
    mend: 'browsers load it: docs/client.md promises how small it is',
  },
  {
    name: 'import rules',
    check: checkImports,
    mend: 'ARCHITECTURE.md and .dependency-cruiser.cjs say which package may import which',
  },
  {
    name: 'prose',
    check: () => Promise.resolve(checkProse()),
    mend: 'CONTRIBUTING.md says how the prose reads ("How the prose reads")',
  },
  {
    name: 'citations',
    check: checkCitations,
    mend: 'cite a tracked page with its section (docs/protocol.md §5), or give the reason itself',
  },
  { name: 'dead code', check: tool('knip/bin/knip.js', ['--no-progress']), mend: 'remove it, or use it' },
];

try {
  await setUp(); // the API describes itself, for its types
  for (const { name, check, mend } of CHECKS) {
    if (!(await step(`checking ${name}`, check))) {
      say(`${name}: not good. ${mend[0]?.toUpperCase()}${mend.slice(1)}.`);
      process.exit(1);
    }
  }
  say(`${CHECKS.map(({ name }) => name).join(', ')}: all good`);
} catch (error) {
  giveUp(error);
}
