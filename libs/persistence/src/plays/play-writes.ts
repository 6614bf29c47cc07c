import type { BatchOutcome } from '@weft/concurrency';
import type { Play, Written } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import { isStoreUnavailable } from '../driver/store-unavailable.js';
import { filterOf, seenOfAll, type PendingWrite } from './batch-outcomes.js';
import { NotDurableError, type DurableCommands } from './durable-commands.js';
import { youngAbove } from './late-moves.js';
import { BY_ID, PLAYS } from './play.schema.js';
import { playOperation } from './play-update.js';
import { serverError, type WriteFault } from './store-refusals.js';

interface UpdateReply {
  readonly n: number;
  readonly writeErrors?: readonly WriteFault[];
}

interface EndReply {
  /** Null: no play matched. */
  readonly value: Pick<Play, 'completedAt'> | null;
}

/** An update does not say when it was. One that does is a command of its own; above this number, the times are read together. */
const MOST_ENDS_ALONE = 4;
/** The writes of many plays wait for that read, and those that follow them. */
const ENDS_WITHIN_MS = 1_000;
/** No id is above it. */
const LAST_ID = '\u007f';
const STORED: Written = { isStored: true };
const REFUSED: Written = { isStored: false };

/** Whether an error says nothing about single writes of a batch. */
export function failsWholeBatch(error: unknown): boolean {
  return isStoreUnavailable(error) || error instanceof NotDurableError;
}

function isStored(outcome: BatchOutcome<Written> | undefined): boolean {
  return outcome !== undefined && 'ok' in outcome && outcome.ok.isStored;
}

/** Writes of many plays in one command, and what became of each. */
export class PlayWrites {
  constructor(
    private readonly mongo: Pick<Mongo, 'serverNow'>,
    private readonly plays: mongo.Collection<Play>,
    private readonly commands: DurableCommands,
  ) {}

  async writeMany(pending: readonly PendingWrite[]): Promise<BatchOutcome<Written>[]> {
    const young = youngAbove(this.mongo.serverNow());
    const wanted = pending.filter(({ givesEnd }) => givesEnd);
    if (wanted.length === 0) return this.update(pending, young);
    if (wanted.length > MOST_ENDS_ALONE) return this.withEnds(pending, await this.update(pending, young));
    const others = pending.filter(({ givesEnd }) => !givesEnd);
    const [updated, ...ended] = await Promise.all([
      others.length > 0 ? this.update(others, young) : [],
      ...wanted.map((one) => this.end(one, young)),
    ]);
    // each in its order
    return pending.map(({ givesEnd }) => (givesEnd ? ended : updated).shift() ?? { ok: REFUSED });
  }

  private async update(pending: readonly PendingWrite[], young: string): Promise<BatchOutcome<Written>[]> {
    const { n, writeErrors = [] } = await this.commands.send<UpdateReply>({
      update: PLAYS,
      updates: pending.map(({ key, write }) => {
        const { filter: q, update: u } = playOperation(key, write, key.playId <= young);
        return { q, u, hint: BY_ID };
      }),
      ordered: false,
    });
    if (n === pending.length) return pending.map(() => ({ ok: STORED }));
    const faults = new Map(writeErrors.map((fault) => [fault.index, fault]));
    const outcomes = pending.map((_pending, i): BatchOutcome<Written> => {
      const fault = faults.get(i);
      return fault ? { error: serverError(fault) } : { ok: STORED };
    });
    // an update reports only the total of those that matched: read the plays, never guess
    if (n + faults.size < pending.length) await this.settle(pending, outcomes, young);
    return outcomes;
  }

  /** The same outcomes with the times of the ends that are wanted, if MongoDB says them. */
  private async withEnds(
    pending: readonly PendingWrite[],
    outcomes: BatchOutcome<Written>[],
  ): Promise<BatchOutcome<Written>[]> {
    const ended = pending.filter(({ givesEnd }, i) => givesEnd && isStored(outcomes[i]));
    const options = { projection: { completedAt: 1 }, batchSize: ended.length + 1, hint: BY_ID };
    const found = await this.plays
      .find<Pick<Play, '_id' | 'completedAt'>>(filterOf(ended.map(({ key }) => key)), {
        ...options,
        signal: AbortSignal.timeout(ENDS_WITHIN_MS),
      })
      .toArray()
      // nothing is lost without them: the ends are stored
      .catch(() => []);
    const times = new Map(found.map(({ _id, completedAt }) => [_id, completedAt]));
    return outcomes.map((outcome, i) => {
      const one = pending[i];
      if (!one?.givesEnd || !isStored(outcome)) return outcome;
      return { ok: { isStored: true, completedAt: times.get(one.key.playId) } };
    });
  }

  /** The same for one play that ends, with the time of its end. */
  private async end(pending: PendingWrite, young: string): Promise<BatchOutcome<Written>> {
    const { key, write } = pending;
    const { filter: query, update } = playOperation(key, write, key.playId <= young);
    const fields = { _id: 0, completedAt: 1 };
    try {
      const { value } = await this.commands.send<EndReply>({
        ...{ findAndModify: PLAYS, query, update, fields, new: true, hint: BY_ID },
      });
      if (value) return { ok: { isStored: true, completedAt: value.completedAt } };
    } catch (error) {
      if (failsWholeBatch(error)) throw error;
      return { error };
    }
    const outcomes: BatchOutcome<Written>[] = [{ ok: REFUSED }];
    await this.settle([pending], outcomes, young);
    return outcomes[0] ?? { ok: REFUSED };
  }

  /** Finds out which of the writes without a fault are stored. Those that came too late to be so unmarked are sent again. */
  private async settle(
    pending: readonly PendingWrite[],
    outcomes: BatchOutcome<Written>[],
    young: string,
  ): Promise<void> {
    const seen = await seenOfAll(this.plays, pending, this.commands.deadline());
    const late: number[] = [];
    seen.forEach((one, i) => {
      if ('error' in (outcomes[i] ?? {})) return;
      outcomes[i] = { ok: one === 'stored' ? STORED : REFUSED };
      if (one === 'unchanged' && (pending[i]?.key.playId ?? '') > young) late.push(i);
    });
    if (late.length === 0) return;
    const again = await this.update(
      late.flatMap((i) => pending[i] ?? []),
      LAST_ID,
    );
    again.forEach((outcome, n) => (outcomes[late[n] ?? -1] = outcome));
  }
}
