import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/[/\\]$/, '');

/** @param {...string} parts */
export const inRoot = (...parts) => join(ROOT, ...parts);

/** The Node 24 that was installed with our dependencies: every process of the product runs on it. */
export const NODE24 = inRoot('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/**
 * Node flags for every process of the product. V8's young space has room for what a full load allocates in a few milliseconds: the
 * 64 MB that it takes by itself cost 50 MB of memory more, and no play is faster with them (docs/performance.md).
 */
export const NODE_FLAGS = ['--max-semi-space-size=32', '--import', new URL('source-maps.mjs', import.meta.url).href];

/**
 * Of one process. What a scheduler does can wait: its garbage collector leaves the other processors to accepted runs.
 *
 * @param {string} app
 */
export const nodeFlagsOf = (app) => (app === 'scheduler' ? [...NODE_FLAGS, '--single-threaded-gc'] : NODE_FLAGS);

/** The environment of these processes: compiled code is cached, so that the second start loads in half the time. */
export const runEnv = () => ({ NODE_COMPILE_CACHE: inRoot('node_modules', '.cache', 'node'), ...process.env });
