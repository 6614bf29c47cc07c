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

/** Ids of this process: the tag keeps those of other processes apart. */
export function processIds(clock: Clock): NewId {
  return createIdSource(() => clock.now(), randomInt(2 ** 32));
}

/** The product's version: that of the package that this file is part of, from the sources and from the build alike. */
export function productVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return version;
}
