/** How a process of the sandbox is started: where its program lies, and how little it is given. */
import type { ForkOptions } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HEAP_MB } from './limits.js';

/** Beside this file, built or (in specs) as source. */
const isSource = import.meta.url.endsWith('.ts');
export const CELL_FILE = fileURLToPath(new URL(`./inside/main.${isSource ? 'ts' : 'js'}`, import.meta.url));

/** Node runs TypeScript, but looks for `x.js` where only `x.ts` is. */
const SOURCE_HOOK = new URL('./inside/source-hook.ts', import.meta.url).href;

const FLAGS = [
  `--max-old-space-size=${HEAP_MB}`,
  '--max-semi-space-size=16',
  '--disallow-code-generation-from-strings',
  '--no-addons',
  '--no-warnings',
  // reads its own program only: no file is written, no process or thread started, no inspector opened
  '--permission',
  ...readable().map((path) => `--allow-fs-read=${path}`),
];

/** Where the program and its libraries lie, and the package.json that says which kind of modules they are. */
function readable(): readonly string[] {
  const program = dirname(dirname(CELL_FILE));
  const libraries = dirname(dirname(createRequire(import.meta.url).resolve('jsonata')));
  return [join(program, '*'), join(libraries, '*'), join(dirname(libraries), 'package.json')];
}

export function cellOptions(): ForkOptions {
  return {
    env: {},
    cwd: '/',
    execArgv: isSource ? [...FLAGS, `--import=${SOURCE_HOOK}`] : FLAGS,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  };
}
