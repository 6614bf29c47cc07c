// @ts-check
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const WRITTEN_WITHIN_MS = 20_000;
const HOOK = new URL('./profile-hook.mjs', import.meta.url).href;

/**
 * Which processes of a leg are profiled while the leg is measured, and where the profiles are written.
 * @param {{ folder: string, names: readonly string[] }} options
 */
export function createProfiling({ folder, names }) {
  /** @type {string[]} */
  const written = [];
  /** @type {Map<number, string>} */
  const files = new Map();

  /**
   * Node arguments and environment for a process that may have to be profiled.
   * @param {string} name `api`, `worker`, `scheduler` @param {string} label of the leg
   * @returns {{ args: string[], env: Record<string, string>, file: string | null }}
   */
  function hook(name, label) {
    if (!names.includes(name)) return { args: [], env: {}, file: null };
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${label}-${name}.cpuprofile`);
    return { args: ['--import', HOOK], env: { BENCH_PROFILE_FILE: file }, file };
  }

  return {
    hook,
    /** @param {number} pid @param {string | null} file */
    track(pid, file) {
      if (file !== null) files.set(pid, file);
    },
    begin() {
      for (const pid of files.keys()) process.kill(pid, 'SIGUSR2');
    },
    /** Ends the profiles of this leg and waits for their files. */
    async end() {
      for (const [pid, file] of files) {
        process.kill(pid, 'SIGUSR2');
        const deadline = Date.now() + WRITTEN_WITHIN_MS;
        while (!existsSync(file) && Date.now() < deadline) await delay(50);
        written.push(file);
      }
      files.clear();
    },
    /** Removes processes that have ended without having been measured. */
    forget: () => files.clear(),
    written: () => written,
  };
}

/** @typedef {ReturnType<typeof createProfiling>} Profiling */

/**
 * The self time of a profile, in percent of the time that was not idle: by function, and by package.
 * @param {string} file @param {number} rows
 */
export function hottest(file, rows) {
  /** @type {{ nodes: { id: number, callFrame: { functionName: string, url: string, lineNumber: number } }[], samples: number[], timeDeltas: number[] }} */
  const profile = JSON.parse(readFileSync(file, 'utf8'));
  const places = new Map(profile.nodes.map((node) => [node.id, placeOf(node.callFrame)]));
  /** @type {Map<string, number>} */
  const byFunction = new Map();
  /** @type {Map<string, number>} */
  const byPackage = new Map();
  let busy = 0;
  profile.samples.forEach((id, i) => {
    const place = places.get(id);
    if (place === undefined || place.name === '(idle)' || place.pack === 'node:inspector') return;
    const us = profile.timeDeltas[i] ?? 0;
    busy += us;
    byFunction.set(place.name, (byFunction.get(place.name) ?? 0) + us);
    byPackage.set(place.pack, (byPackage.get(place.pack) ?? 0) + us);
  });
  const top = (/** @type {Map<string, number>} */ map) =>
    [...map]
      .sort((a, b) => b[1] - a[1])
      .slice(0, rows)
      .map(([name, us]) => ({ name, percent: (100 * us) / busy }));
  return { byFunction: top(byFunction), byPackage: top(byPackage) };
}

/** @param {{ functionName: string, url: string, lineNumber: number }} frame */
function placeOf({ functionName, url, lineNumber }) {
  const name = functionName || '(anonymous)';
  const pack = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (pack !== undefined) {
    return { name: `${name}  ${url.slice(url.lastIndexOf('node_modules/') + 13)}:${lineNumber + 1}`, pack };
  }
  if (url.startsWith('file:')) {
    const path = relative(process.cwd(), new URL(url).pathname);
    return { name: `${name}  ${path}:${lineNumber + 1}`, pack: path.split('/').slice(0, 3).join('/') };
  }
  return {
    name: url === '' ? name : `${name}  ${url}:${lineNumber + 1}`,
    pack: url.startsWith('node:') ? url : `(${name.replace(/[()]/g, '')})`,
  };
}
