import type { PlayState } from '@weft/contracts';
import mongoose from 'mongoose';
import type { StoredPlays } from './cluster.js';
import { isLegal, isOver } from './legal-moves.js';

/** One write that changed a play, as MongoDB recorded it. */
export interface PlayChange {
  readonly playId: string;
  /** Fields as they were written; dotted names for parts. */
  readonly set: Readonly<Record<string, unknown>>;
  /** Names of the fields that it took away. */
  readonly removed?: readonly string[];
}

/** Marks of a play that has ended, by which its parent is set going: they go when it was. */
const MARKS = ['parentPending'];

/**
 * Every write on plays, in order, read afterwards from MongoDB's oplog: nothing had to observe it while it happened, and
 * no outage in between hides anything.
 */
export async function playHistory(plays: StoredPlays, since: mongoose.mongo.Timestamp): Promise<PlayChange[]> {
  // A write of our own marks the end of what is to be read.
  const marks = plays.db.collection<{ _id: string }>('chaos_marks');
  const mark = new mongoose.mongo.ObjectId().toHexString();
  await marks.insertOne({ _id: mark });
  const stream = plays.db.watch<{ _id: string }>(
    [
      { $match: { 'ns.coll': { $in: [plays.collectionName, marks.collectionName] } } },
      { $project: { 'fullDocument.args': 0, 'fullDocument.log': 0, 'fullDocument.layers': 0 } },
    ],
    { startAtOperationTime: since, batchSize: 2_000 },
  );
  const changes: PlayChange[] = [];
  try {
    for await (const change of stream) {
      if (change.operationType !== 'insert' && change.operationType !== 'update') {
        if (change.operationType === 'replace' || change.operationType === 'delete') {
          changes.push({ playId: change.documentKey._id, set: { [change.operationType]: true } });
        }
        continue;
      }
      const playId = change.documentKey._id;
      if (playId === mark) break;
      const set = change.operationType === 'insert' ? change.fullDocument : change.updateDescription.updatedFields;
      const removed = change.operationType === 'update' ? change.updateDescription.removedFields : [];
      changes.push({ playId, set: set ?? {}, removed: removed ?? [] });
    }
  } finally {
    await stream.close();
  }
  return changes;
}

/** The writes on one play, for people: the fields of its hand-outs with their values, and the names of the others. */
export function writesOf(changes: readonly PlayChange[], playId: string): string {
  const writes = changes.filter((change) => change.playId === playId).map(({ set }) => JSON.stringify(set, shown));
  return writes.length === 0 ? '' : `; its writes: ${writes.join(' ')}`;
}

const SHOWN = new Set([
  '',
  'epoch',
  'seq',
  'state',
  'owner',
  'crashes',
  'heartbeatAt',
  'started',
  'strict',
  'startedAt',
]);

function shown(name: string, value: unknown): unknown {
  return SHOWN.has(name) ? value : '…';
}

/** The plays that were treated as those of a dead worker: its lease had ended, or its job was handed out again. */
export function chargedWithACrash(changes: readonly PlayChange[]): string[] {
  return [...new Set(changes.filter(({ set }) => Number(set.crashes ?? 0) > 0).map(({ playId }) => playId))];
}

interface Seen {
  epoch: number;
  seq: number;
  state: PlayState;
}

/** Illegal writes on plays: docs/reliability.md I8, I9, I16. Empty: there are no such writes. */
export function historyFaults(changes: readonly PlayChange[]): string[] {
  const seen = new Map<string, Seen>();
  const faults: string[] = [];
  for (const { playId, set, removed = [] } of changes) {
    if (Object.keys(set).length === 0 && removed.every((field) => MARKS.includes(field))) continue;
    const now = seen.get(playId);
    if (!now) {
      seen.set(playId, { epoch: set.epoch as number, seq: set.seq as number, state: set.state as PlayState });
      continue;
    }
    for (const fault of stepFaults(now, set)) faults.push(`${playId}: ${fault}`);
    now.epoch = (set.epoch as number | undefined) ?? now.epoch;
    now.seq = (set.seq as number | undefined) ?? now.seq;
    now.state = (set.state as PlayState | undefined) ?? now.state;
  }
  return faults;
}

function* stepFaults(now: Seen, set: PlayChange['set']): Iterable<string> {
  const { epoch = now.epoch, seq = now.seq, state = now.state } = set as Partial<Seen>;
  if (set.replace || set.delete) yield 'was replaced or deleted';
  if (isOver(now.state)) yield `was ${now.state} and was written again: ${Object.keys(set).join(', ')}`;
  if (epoch < now.epoch) yield `its epoch fell from ${now.epoch} to ${epoch}`;
  if (seq < now.seq) yield `its seq fell from ${now.seq} to ${seq}`;
  if (!isLegal(now.state, state)) yield `moved from ${now.state} to ${state}`;
  const logged = Object.keys(set).flatMap((name) => /^log\.(\d+)/.exec(name)?.slice(1) ?? []);
  const overwritten = logged.filter((at) => Number(at) < now.seq);
  if (overwritten.length > 0 || Array.isArray(set.log))
    yield `entries of its log were overwritten: ${overwritten.join(', ')}`;
  if (seq - now.seq !== logged.length) yield `its seq moved by ${seq - now.seq} with ${logged.length} log entries`;
}
