import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** A library that few programs use, loaded by the first one that does: loading takes most of the time that a process needs to start. */
export function whenNeeded<T>(name: string): () => T {
  let library: T | undefined;
  return () => (library ??= require(name) as T);
}
