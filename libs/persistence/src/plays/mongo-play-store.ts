import { GroupCommit, type BatchOutcome } from '@weft/concurrency';
import type { OwnedPlay, Play, PlayKey, PlayStore, PlayWrite } from '@weft/engine';
import mongoose, { type mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput } from '../audit/record-audit.js';
import { MAJORITY, type Mongo } from '../driver/mongo.js';
import { isStoreUnavailable } from '../driver/store-unavailable.js';
import { withLaneOrder } from './lane.repository.js';
import { findKeyHolders, type KeyOfPlay } from './key-holders.js';
import { BINDING_KEY, FIRST_RETRY, PLAYS } from './play.schema.js';
import { isLateAnswer, MARK, markedMoves, youngAbove } from './late-moves.js';
import { assertStorable, MAX_BATCH_BYTES, weightOfPlay, weightOfWrite } from './play-sizes.js';
import { refusalOf, serverError, type WriteFault } from './store-refusals.js';
import { filterOf, seenOfAll, type Outcome, type PendingWrite } from './batch-outcomes.js';
import { PlayInserts, type Insertion } from './play-inserts.js';
import { MARKED, playFilter, playOperation, playUpdate } from './play-update.js';

export interface MongoPlayStoreOptions {
  /** For how long `write` repeats the question what became of a write whose answer was lost, in ms. A worker never stops. */
  readonly outcomePatienceMs: number;
  readonly onBatch?: (operation: 'accept' | 'find' | 'write', size: number, seconds: number) => void;
  /** How long one command may take, in ms; default 10 s. */
  readonly answerWithinMs?: number;
}

interface CommandReply {
  readonly writeConcernError?: { readonly code: number; readonly errmsg: string };
}

interface InsertReply {
  readonly operationTime?: mongo.Timestamp;
  readonly writeErrors?: readonly WriteFault[];
}

type UpdateReply = InsertReply & { readonly n: number };

/** Stored, but perhaps not durably. */
class NotDurableError extends mongoose.mongo.MongoServerError {}

/**
 * A command that is sent on a connection which has just ended, before the driver (7.8) has noticed, is never answered, and
 * no limit of the driver ends it: every batch after it would wait for ever.
 */
const ANSWER_WITHIN_MS = 10_000;
const MAX_BATCH = 500;
/** Under load a batch may collect for this long: a few milliseconds for fewer round trips. */
const LINGER_MS = 3;
const ASK_AGAIN_MS = 250;
const DUPLICATE_KEY = 11_000;
/** Else MongoDB weighs the indexes of the other conditions, for updates each time anew, which takes it a sixth more. */
const BY_ID = { _id: 1 } as const;
/** No id is above it. */
const LAST_ID = '\u007f';
/** An insert is refused by a holder before a majority has it, and only then can it be read: some milliseconds later. */
const ACCEPT_ATTEMPTS = 20;
const ACCEPT_PAUSE_MS = 5;

/** Plays in MongoDB. Reads and writes of many callers share round trips; see `GroupCommit`. */
export class MongoPlayStore implements PlayStore {
  private readonly db: mongo.Db;
  private readonly plays: mongo.Collection<Play>;
  private readonly inserts: PlayInserts;
  private readonly holders: GroupCommit<KeyOfPlay, Play | null>;
  private readonly reads: GroupCommit<PlayKey, Play | null>;
  private readonly writes: GroupCommit<PendingWrite, boolean>;
  private readonly outcomes: GroupCommit<PendingWrite, Outcome>;
  private closing = false;

  constructor(
    private readonly mongo: Mongo,
    private readonly options: MongoPlayStoreOptions,
  ) {
    this.db = mongo.db;
    this.plays = mongo.collection<Play>(PLAYS);
    const group = <I, R>(
      operation: 'accept' | 'find' | 'write',
      flush: (items: readonly I[]) => Promise<readonly BatchOutcome<R>[]>,
      repeats?: (error: unknown, items: readonly I[]) => boolean,
    ) =>
      new GroupCommit<I, R>(flush, {
        maxBatch: MAX_BATCH,
        maxWeight: MAX_BATCH_BYTES,
        lingerMs: LINGER_MS,
        onBatch: (size, seconds) => options.onBatch?.(operation, size, seconds),
        failsAll: (error) => isStoreUnavailable(error) || error instanceof NotDurableError,
        ...(repeats && { repeats }),
      });
    this.inserts = new PlayInserts(
      (flush, repeats) => group('accept', flush, repeats),
      (plays) => this.insertMany(plays),
      () => this.closing,
    );
    this.holders = group('find', (keys) => findKeyHolders(this.plays, keys, this.deadline()));
    this.reads = group('find', (keys) => this.findMany(keys));
    this.writes = group('write', (writes) => this.writeMany(writes));
    this.outcomes = group('find', async (writes) =>
      (await seenOfAll(this.plays, writes, this.deadline())).map((seen) => ({ ok: seen })),
    );
  }

  /**
   * @returns `replayed`: another play holds the key, that one is given · `wasThere`: one with this id was stored before ·
   * `wasRetried`: it is not the first retry, and not stored
   * @throws UnstorableError
   */
  async accept(play: Play): Promise<{ play: Play; replayed: boolean; wasThere?: true; wasRetried?: true }> {
    const bytes = weightOfPlay(play);
    assertStorable(bytes, play._id);
    for (let attempt = 1; ; attempt += 1) {
      const insertion = await this.inserts.add(play, bytes);
      if (insertion === 'there') return { play, replayed: false, wasThere: true };
      if (insertion === 'stored') return { play, replayed: false };
      if (insertion === 'retried') return { play, replayed: false, wasRetried: true };
      const holder = await this.holderOf(play);
      if (holder) return { play: holder, replayed: holder._id !== play._id };
      // the holder freed the key between the two, or cannot be read yet: ours has its chance
      if (attempt === ACCEPT_ATTEMPTS)
        throw new Error(`the idempotency key of play ${play._id} is taken and freed again and again`);
      await new Promise((resolve) => setTimeout(resolve, ACCEPT_PAUSE_MS * attempt));
    }
  }

  /** The play that holds this key now. */
  holderOf(key: KeyOfPlay): Promise<Play | null> {
    return this.holders.add(key);
  }

  find(key: PlayKey): Promise<Play | null> {
    return this.reads.add(key);
  }

  async write(key: PlayKey, write: PlayWrite): Promise<boolean> {
    const bytes = weightOfWrite(write);
    assertStorable(bytes, key.playId);
    try {
      return await this.writes.add({ key, write }, bytes);
    } catch (error) {
      const refusal = refusalOf(key.playId, error);
      if (refusal) throw refusal;
      return this.outcomeOf({ key, write }, error);
    }
  }

  /**
   * A user's command: the write and its audit entry, both or none. `false`: the match did not hold, and nothing was written.
   *
   * @throws UnstorableError
   * @throws when MongoDB is unreachable, also when it is not known whether it was stored
   */
  async writeAudited(key: PlayKey, write: PlayWrite, entry: AuditEntryInput): Promise<boolean> {
    assertStorable(weightOfWrite(write), key.playId);
    const written = this.mongo.transaction(async (session) => {
      const result = await this.plays.updateOne(playFilter(key, write), playUpdate(write, MARKED), { session });
      if (result.matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
    return written.catch((error: unknown) => {
      throw refusalOf(key.playId, error) ?? error;
    });
  }

  async renew(owned: readonly OwnedPlay[]): Promise<readonly OwnedPlay[]> {
    if (owned.length === 0) return [];
    const filter = {
      _id: { $in: owned.map(({ key }) => key.playId) },
      owner: { $in: owned.map(({ owner }) => owner) },
      state: { $in: ['RUN', 'ON_HOLD'] },
    } as mongo.Filter<Play>;
    const result = await this.plays.updateMany(filter, { $currentDate: { heartbeatAt: true } });
    if (result.matchedCount === owned.length) return [];
    const mine = await this.plays.find(filter, { projection: { owner: 1 } }).toArray();
    const held = new Set(mine.map((play) => `${play._id} ${play.owner}`));
    return owned.filter(({ key, owner }) => !held.has(`${key.playId} ${owner}`));
  }

  /** Stops asking for lost outcomes: the process ends. */
  close(): void {
    this.closing = true;
  }

  private async insertMany(plays: readonly Play[]): Promise<BatchOutcome<Insertion>[]> {
    const sentAt = this.mongo.serverNow();
    const { writeErrors, operationTime } = await this.command<InsertReply>({
      insert: PLAYS,
      documents: withLaneOrder(markedMoves(plays, sentAt)),
      ordered: false,
    });
    if (isLateAnswer(operationTime, sentAt)) await this.markAgain(plays);
    if (!writeErrors) return plays.map(() => ({ ok: 'stored' }));
    const faults = new Map(writeErrors.map((fault) => [fault.index, fault]));
    return plays.map((_play, i): BatchOutcome<Insertion> => {
      const fault = faults.get(i);
      if (!fault) return { ok: 'stored' };
      if (fault.code !== DUPLICATE_KEY) return { error: serverError(fault) };
      return { ok: whatIsThere(fault.errmsg) };
    });
  }

  /** Their marks, or that they have none, are of a time long before they were there. */
  private async markAgain(plays: readonly Play[]): Promise<void> {
    const ids = plays.map(({ _id }) => _id);
    if (ids.length > 0) await this.plays.updateMany({ _id: { $in: ids } }, MARK, { writeConcern: MAJORITY });
  }

  private async findMany(keys: readonly PlayKey[]): Promise<BatchOutcome<Play | null>[]> {
    const found = await this.plays
      // all of them in the first answer; as bytes, because whoever counts commands would have them all decoded once more
      .find(filterOf(keys), { batchSize: keys.length + 1, signal: this.deadline(), raw: true, hint: BY_ID })
      .toArray();
    const plays = (found as unknown as readonly Uint8Array[]).map(
      (each) => mongoose.mongo.BSON.deserialize(each) as Play,
    );
    const byId = new Map(plays.map((play) => [play._id, play]));
    return keys.map(({ playId, companyId, flowId }) => {
      const play = byId.get(playId);
      return { ok: play?.company_id === companyId && play.flowId === flowId ? play : null };
    });
  }

  private async writeMany(
    pending: readonly PendingWrite[],
    young = youngAbove(this.mongo.serverNow()),
  ): Promise<BatchOutcome<boolean>[]> {
    const { n, writeErrors = [] } = await this.command<UpdateReply>({
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
    // a bulk write reports only the total of those that matched: read the plays, never guess
    if (n + faults.size < pending.length) await this.settle(pending, outcomes, young);
    return outcomes;
  }

  /** Finds out which of the writes without a fault are stored. Those that came too late to be so unmarked are sent again. */
  private async settle(
    pending: readonly PendingWrite[],
    outcomes: BatchOutcome<boolean>[],
    young: string,
  ): Promise<void> {
    const seen = await seenOfAll(this.plays, pending, this.deadline());
    const late: number[] = [];
    seen.forEach((one, i) => {
      if ('error' in (outcomes[i] ?? {})) return;
      outcomes[i] = { ok: one === 'stored' };
      if (one === 'unchanged' && (pending[i]?.key.playId ?? '') > young) late.push(i);
    });
    if (late.length === 0) return;
    const again = await this.writeMany(
      late.flatMap((i) => pending[i] ?? []),
      LAST_ID,
    );
    again.forEach((outcome, n) => (outcomes[late[n] ?? -1] = outcome));
  }

  /**
   * The run path speaks to MongoDB in plain commands: the protocol clears lost answers up by itself, so it needs neither the
   * driver's retries (a row in the server's session table for each write) nor its bulk machinery.
   */
  private async command<Reply>(command: mongo.Document): Promise<Reply> {
    const reply = (await this.db.command(
      { ...command, writeConcern: { w: 'majority', j: true } },
      { ignoreUndefined: true, signal: this.deadline() },
    )) as Reply & CommandReply;
    const fault = reply.writeConcernError;
    if (fault) throw new NotDurableError({ message: fault.errmsg, code: fault.code, errmsg: fault.errmsg });
    return reply;
  }

  private deadline(): AbortSignal {
    return AbortSignal.timeout(this.options.answerWithinMs ?? ANSWER_WITHIN_MS);
  }

  private async outcomeOf({ key, write }: PendingWrite, cause: unknown): Promise<boolean> {
    const started = performance.now();
    for (;;) {
      if (this.closing || performance.now() - started >= this.options.outcomePatienceMs) throw cause;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      try {
        return (await this.outcomes.add({ key, write })) === 'stored';
      } catch {
        // MongoDB is still unreachable; nothing is decided without it
      }
    }
  }
}

/** @param errmsg names the index that refused an insert; of a play with an id that is stored, the one over ids, whatever else it shares */
function whatIsThere(errmsg: string): Insertion {
  if (errmsg.includes(BINDING_KEY)) return 'key_taken';
  return errmsg.includes(`index: ${FIRST_RETRY} `) ? 'retried' : 'there';
}
