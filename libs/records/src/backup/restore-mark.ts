import { setTimeout as pause } from 'node:timers/promises';
import type { Mongo } from '@weft/store';
import { RunningProcesses } from '../operations/running-processes.js';
import { backedUpCollections } from './backed-up-collections.js';
import { BACKUPS, type BackupDocument } from './backup.schema.js';

export const RESTORING = 'restoring';

/** Processes give a sign of life every second. */
const SIGN_WITHIN_MS = 2_000;

/** What of a database speaks against a restore into it. */
export interface RestoreTarget {
  /** Processes that run on it. */
  readonly processes: readonly string[];
  /** Collections with documents. */
  readonly filled: readonly string[];
  /** An earlier restore did not come to its end: what is stored is of no use. */
  readonly isRestoring: boolean;
}

export async function lookAtTarget(mongo: Mongo): Promise<RestoreTarget> {
  const isRestoring = (await restoreMark(mongo)) !== null;
  const filled: string[] = [];
  for (const name of await backedUpCollections(mongo)) {
    if (await mongo.walked(name).findOne({}, { projection: { _id: 1 } })) filled.push(name);
  }
  return { processes: await processesOf(mongo), filled, isRestoring };
}

/** @throws Error when a restore of the database has begun and not ended: what is stored is a part of a backup */
export async function assertNotRestoring(mongo: Mongo): Promise<void> {
  const mark = await restoreMark(mongo);
  if (!mark) return;
  throw new Error(
    `a restore of this database began at ${mark.at.toISOString()} and has not ended. Wait for it; if it was ended, start it again ` +
      '("npm run restore", docs/deploy/backup.md).',
  );
}

/** @throws Error when a process ran on the database since: it may have written into it */
export async function assertNobodyCame(mongo: Mongo, since: Date): Promise<void> {
  const sinceMs = mongo.serverNow() - since.getTime();
  await pause(Math.max(0, SIGN_WITHIN_MS - sinceMs));
  const seen = (await new RunningProcesses(mongo).below(Number.MAX_SAFE_INTEGER)).filter(({ at }) => at > since);
  if (seen.length === 0) return;
  const names = seen.map(({ _id }) => _id).join(', ');
  throw new Error(
    `processes ran on the database during the restore (${names}): stop them, and start the restore again`,
  );
}

/** Of those that were seen within the last minute, which still give signs of life. */
async function processesOf(mongo: Mongo): Promise<readonly string[]> {
  const levels = new RunningProcesses(mongo);
  const first = await levels.below(Number.MAX_SAFE_INTEGER);
  if (first.length === 0) return [];
  await pause(SIGN_WITHIN_MS);
  const lastSeen = new Map(first.map(({ _id, at }) => [_id, at.getTime()]));
  const now = await levels.below(Number.MAX_SAFE_INTEGER);
  return now.filter(({ _id, at }) => lastSeen.get(_id) !== at.getTime()).map(({ _id }) => _id.replace(/:\d+$/, ''));
}

async function restoreMark(mongo: Mongo): Promise<BackupDocument | null> {
  return mongo.collection<BackupDocument>(BACKUPS).findOne({ _id: RESTORING });
}
