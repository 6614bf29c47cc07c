import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** The servers of this run, and its scratch folder: started by `tools/test-servers.mjs`. */
export interface TestRun {
  readonly mongodbUri: string;
  readonly redisUrl: string;
  /** Scratch folder of the run; removed at its end. */
  readonly folder: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    testRun?: TestRun;
  }
}

/** @throws Error in a spec of the unit project, for which no server is started */
export function testRun(): TestRun {
  const run = inject('testRun');
  if (run === undefined) throw new Error('This spec needs live servers: name its file *.int.spec.ts.');
  return run;
}

/** A new empty folder that is removed with the run. */
export function scratchFolder(name: string): string {
  return mkdtempSync(join(testRun().folder, `${name}-`));
}
