// Builds the package @weft/client in libs/client/dist: the client for Node and browsers, the command line as one file, and with
// `--types` the declarations, which only who publishes it needs.
import { chmod, rm } from 'node:fs/promises';
import { rolldown } from 'rolldown';
import { NODE24, ROOT, inRoot } from '../setup/root.mjs';
import { run } from '../setup/run.mjs';

const DIST = inRoot('libs', 'client', 'dist');
const CLIENT = inRoot('libs', 'client', 'src', 'index.ts');
const COMMAND = inRoot('apps', 'cli', 'src', 'main.ts');

/** @param {string} file @param {import('rolldown').OutputOptions} output @param {import('rolldown').InputOptions} [input] */
async function bundle(file, output, input) {
  const build = await rolldown({ input: file, platform: 'neutral', tsconfig: inRoot('tsconfig.base.json'), ...input });
  const { output: chunks } = await build[output.file ? 'write' : 'generate']({ format: 'esm', ...output });
  await build.close();
  return chunks[0].code;
}

/** The client with all that a browser loads for it, as a page's own build makes it. */
export function clientForBrowsers() {
  return bundle(CLIENT, { minify: true });
}

async function build() {
  await rm(DIST, { recursive: true, force: true });
  await bundle(CLIENT, { file: `${DIST}/index.js` }, { external: ['openapi-fetch'] });
  const command = `${DIST}/weft.js`;
  await bundle(COMMAND, { file: command, minify: true, banner: '#!/usr/bin/env node' }, { platform: 'node' });
  await chmod(command, 0o755);
}

async function declare() {
  const tsc = inRoot('node_modules', 'typescript7', 'bin', 'tsc');
  const { code, output } = await run(NODE24, [tsc, '-p', inRoot('libs', 'client', 'tsconfig.build.json')], {
    cwd: ROOT,
  });
  if (code !== 0) throw new Error(output);
}

if (import.meta.main) {
  await build();
  if (process.argv.includes('--types')) await declare();
}
