import type { BatchOutcome } from '@weft/concurrency';
import type { Play, PlayKey } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import { filterOf, seenOfAll, type PendingWrite } from './batch-outcomes.js';
import type { DurableCommands } from './durable-commands.js';
import { youngAbove } from '../reads/late-moves.js';
import { BY_ID, PLAYS } from '../play.schema.js';
import { playOperation } from './play-update.js';
import { serverError, type WriteFault } from './store-refusals.js';

interface UpdateReply {
  readonly n: number;
  readonly writeErrors?: readonly WriteFault[];
}

/** No id is above it. */
const LAST_ID = '\u007f';

/** Writes of plays, and what became of each. */
export class PlayWrites {
  constructor(
    private readonly mongo: Pick<Mongo, 'serverNow'>,
    private readonly plays: mongo.Collection<Play>,
    private readonly commands: DurableCommands,
  ) {}

  /** Writes of many plays, in one command. */
  async many(
    pending: readonly PendingWrite[],
    young = youngAbove(this.mongo.serverNow()),
  ): Promise<BatchOutcome<boolean>[]> {
    const { n, writeErrors = [] } = await this.commands.send<UpdateReply>({
      update: PLAYS,
      updates: pending.map(({ key, write }) => {
        const { filter: q, update: u } = playOperation(key, write, key.playId <= young);
        return { q, u, hint: BY_ID };
      }),
      ordered: false,
    });
    if (n === pending.length) return pending.map(() => ({ ok: true }));
    const faults = new Map(writeErrors.map((fault) => [fault.index, fault]));
    const outcomes = pending.map((_pending, i): BatchOutcome<boolean> => {
      const fault = faults.get(i);
      return fault ? { error: serverError(fault) } : { ok: true };
    });
    // an update reports only the total of those that matched: read the plays, never guess
    if (n + faults.size < pending.length) await this.settle(pending, outcomes, young);
    return outcomes;
  }

  /** When plays that have ended did so. */
  async endsOf(keys: readonly PlayKey[]): Promise<BatchOutcome<Date | undefined>[]> {
    const options = { batchSize: keys.length + 1, hint: BY_ID, signal: this.commands.deadline() };
    const found = await this.plays
      .find<Pick<Play, '_id' | 'completedAt'>>(filterOf(keys), { projection: { completedAt: 1 }, ...options })
      .toArray();
    const times = new Map(found.map(({ _id, completedAt }) => [_id, completedAt]));
    return keys.map(({ playId }) => ({ ok: times.get(playId) }));
  }

  /** Finds out which of the writes without a fault are stored. Those that came too late to be so unmarked are sent again. */
  private async settle(
    pending: readonly PendingWrite[],
    outcomes: BatchOutcome<boolean>[],
    young: string,
  ): Promise<void> {
    const seen = await this.commands.read(() => seenOfAll(this.plays, pending, this.commands));
    const late: number[] = [];
    seen.forEach((one, i) => {
      if ('error' in (outcomes[i] ?? {})) return;
      outcomes[i] = { ok: one === 'stored' };
      if (one === 'unchanged' && (pending[i]?.key.playId ?? '') > young) late.push(i);
    });
    if (late.length === 0) return;
    const again = await this.many(
      late.flatMap((i) => pending[i] ?? []),
      LAST_ID,
    );
    again.forEach((outcome, n) => (outcomes[late[n] ?? -1] = outcome));
  }
}
