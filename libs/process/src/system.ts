import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { createIdSource, type Clock, type NewId } from '@weft/kernel';

/** This machine's clocks. */
export function systemClock(): Clock {
  return { now: () => Date.now(), monotonicMs: () => performance.now() };
}

/** Creates ids: the tag distinguishes those of different processes. */
export function processIds(clock: Clock): NewId {
  return createIdSource(() => clock.now(), randomInt(2 ** 32));
}

/** The product's version: that of its package and, if it was built from a repository, the commit: `1.0.0+4c1f2ab90d11`. */
export function productVersion(): string {
  return (version ??= readVersion(dirname(fileURLToPath(import.meta.url))));
}

let version: string | undefined;

function readVersion(here: string): string {
  let folder = here;
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  const dist = join(folder, 'dist');
  const build = here.startsWith(dist) ? readJson<{ commit?: string }>(join(dist, 'build.json')) : null;
  const own = readJson<{ version: string }>(join(folder, 'package.json'))?.version ?? '0.0.0';
  return build?.commit ? `${own}+${build.commit}` : own;
}

function readJson<T>(path: string): T | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null;
}
