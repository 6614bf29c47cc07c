import mongoose from 'mongoose';
import { setTimeout as pause } from 'node:timers/promises';
import { isStoreUnavailable } from '@weft/store';

/** A primary that is lost is replaced within seconds. */
const ATTEMPTS = 30;
const PAUSE_MS = 1_000;
/** MongoDB does not keep any more what the documents were at that time. */
const SNAPSHOT_TOO_OLD = 239;

/** For an operator's program, which nobody repeats when a primary is lost: the work must be safe to run again. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !(isStoreUnavailable(error) || isSnapshotTooOld(error))) throw error;
      await pause(PAUSE_MS);
    }
  }
}

function isSnapshotTooOld(error: unknown): boolean {
  return error instanceof mongoose.mongo.MongoServerError && error.code === SNAPSHOT_TOO_OLD;
}
