/** How a sandbox process is started: the file of its program, and its permissions. */
import type { ForkOptions } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HEAP_MB } from './limits.js';
import type { Program } from './task.js';

/** In the folder of this file, built or (in specs) as source. */
const isSource = import.meta.url.endsWith('.ts');
export const PROGRAM_FILE = fileURLToPath(new URL(`./inside/main.${isSource ? 'ts' : 'js'}`, import.meta.url));

/** Node runs TypeScript, but resolves an import of `x.js` only to `x.js`, where only `x.ts` exists. */
const SOURCE_HOOK = new URL('./inside/source-hook.ts', import.meta.url).href;

const FLAGS = [
  '--max-semi-space-size=16',
  '--single-threaded-gc',
  '--disallow-code-generation-from-strings',
  '--no-addons',
  '--no-warnings',
  // it may read its own program only: it can write no file, start no process or thread, and open no inspector
  '--permission',
  ...readablePaths().map((path) => `--allow-fs-read=${path}`),
];

/** The program, the library of Weft that it uses, its packages, and the package.json that says which kind of modules they are. */
function readablePaths(): readonly string[] {
  const program = dirname(dirname(PROGRAM_FILE));
  const openapi = join(dirname(dirname(program)), 'openapi', 'src');
  const packages = dirname(dirname(createRequire(import.meta.url).resolve('jsonata')));
  return [join(program, '*'), join(openapi, '*'), join(packages, '*'), join(dirname(packages), 'package.json')];
}

export function processOptions(program: Program): ForkOptions {
  const flags = [`--max-old-space-size=${HEAP_MB[program]}`, ...FLAGS];
  return {
    // a time without a zone is in UTC, whatever the machine's clock shows
    env: { TZ: 'UTC' },
    cwd: '/',
    execArgv: isSource ? [...flags, `--import=${SOURCE_HOOK}`] : flags,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    // a session of its own has a priority of its own
    detached: program === 'openapi',
  };
}
