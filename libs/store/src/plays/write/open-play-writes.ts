import type { PlayJob } from '@weft/contracts';
import type { OpenPlay, Play, PlayWrite } from '@weft/engine';
import mongoose, { type mongo } from 'mongoose';
import { MAJORITY, type Mongo } from '../../driver/mongo.js';
import { youngAbove } from '../reads/late-moves.js';
import { jobOf, playKeyOf } from '../play-keys.js';
import { PLAYS } from '../play.schema.js';
import { playOperation } from './play-update.js';

export interface OpenPlayChange {
  readonly play: OpenPlay;
  readonly write: PlayWrite;
}

/** The results of writes that do not depend on each other: a failure does not stop the others. */
export interface WriteOutcomes {
  /** Jobs of those that were written, under their new epoch. */
  readonly written: readonly PlayJob[];
  /** How many of them this process wrote. */
  readonly count: number;
  readonly failed: readonly FailedWrite[];
}

export interface FailedWrite extends OpenPlayChange {
  readonly error: unknown;
}

type Shown = Pick<Play, '_id' | 'state' | 'epoch' | 'seq' | 'owner'>;
const SHOWN = { state: 1, epoch: 1, seq: 1, owner: 1 } as const;

/** Writes of many open plays, each conditional on what was read of it. */
export class OpenPlayWrites {
  private readonly plays: mongo.Collection<Play>;

  constructor(private readonly mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  async each(changes: readonly OpenPlayChange[]): Promise<WriteOutcomes> {
    const young = youngAbove(this.mongo.serverNow());
    const settled = await Promise.allSettled(
      changes.map(async (change) => {
        const { filter, update } = operationOf(change, young);
        const { matchedCount } = await this.plays.updateOne(filter, update, { writeConcern: MAJORITY });
        return matchedCount === 1 ? [jobAfter(change)] : [];
      }),
    );
    const written = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    const failed = changes.flatMap((change, i) => {
      const one = settled[i];
      return one?.status === 'rejected' ? [{ ...change, error: one.reason as unknown }] : [];
    });
    return { written, count: written.length, failed };
  }

  /** @throws when nothing is known of any of them: MongoDB is unreachable */
  async together(changes: readonly OpenPlayChange[]): Promise<WriteOutcomes> {
    if (changes.length === 0) return { written: [], count: 0, failed: [] };
    const young = youngAbove(this.mongo.serverNow());
    const operations = changes.map((change) => ({ updateOne: operationOf(change, young) }));
    const { matchedCount, faults } = await this.plays
      .bulkWrite(operations, { ordered: false, writeConcern: MAJORITY })
      .then((result) => ({ matchedCount: result.matchedCount, faults: NO_FAULTS }), faultsOf);
    const failed = changes.flatMap((change, i) => (faults.has(i) ? [{ ...change, error: faults.get(i) }] : []));
    const accepted = changes.filter((_change, i) => !faults.has(i));
    const shown = matchedCount === accepted.length ? accepted : await this.shownAmong(accepted);
    return { written: shown.map(jobAfter), count: matchedCount, failed };
  }

  /** The answer to many says only how many matched: those that read as they were to be, by whomever. */
  private async shownAmong(changes: readonly OpenPlayChange[]): Promise<readonly OpenPlayChange[]> {
    const ids = changes.map(({ play }) => play._id);
    const now = await this.plays.find<Shown>({ _id: { $in: ids } }, { projection: SHOWN }).toArray();
    const byId = new Map(now.map((play) => [play._id, play]));
    return changes.filter(({ play, write: { set } }) => {
      const after = byId.get(play._id);
      return (
        after !== undefined &&
        after.owner === undefined &&
        after.state === (set.state ?? play.state) &&
        after.epoch === (set.epoch ?? play.epoch) &&
        after.seq === (set.seq ?? play.seq)
      );
    });
  }
}

const NO_FAULTS: ReadonlyMap<number, unknown> = new Map();

/** @throws the error itself when it says nothing about single writes */
function faultsOf(error: unknown): { matchedCount: number; faults: ReadonlyMap<number, unknown> } {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
  const faults = new Map([error.writeErrors].flat().map((fault) => [fault.index, fault]));
  if (faults.size === 0) throw error;
  return { matchedCount: error.result.matchedCount, faults };
}

function operationOf({ play, write }: OpenPlayChange, young: string) {
  return playOperation(playKeyOf(play), write, play._id <= young);
}

/** As it is handed out after the write. */
export function jobAfter({ play, write }: OpenPlayChange): PlayJob {
  return { ...jobOf(play), epoch: write.set.epoch ?? play.epoch };
}
