import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** What `npm test` provided for this run: `tools/test.mjs`. */
export interface TestRun {
  readonly mongodbUri: string;
  readonly redisUrl: string;
  /** Scratch folder of the run; removed at its end. */
  readonly folder: string;
}

/** @throws Error when the specs were started some other way than by `npm test` */
export function testRun(): TestRun {
  const { WEFT_TEST_MONGODB_URI, WEFT_TEST_REDIS_URL, WEFT_TEST_DIR } = process.env;
  if (!WEFT_TEST_MONGODB_URI || !WEFT_TEST_REDIS_URL || !WEFT_TEST_DIR) {
    throw new Error('This spec needs live servers: run it as `npm test -- <file>`, which provides them.');
  }
  return { mongodbUri: WEFT_TEST_MONGODB_URI, redisUrl: WEFT_TEST_REDIS_URL, folder: WEFT_TEST_DIR };
}

/** A new empty folder that goes with the run. */
export function scratchFolder(name: string): string {
  return mkdtempSync(join(testRun().folder, `${name}-`));
}
