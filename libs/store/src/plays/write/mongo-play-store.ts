import { GroupCommit, type BatchOutcome } from '@weft/concurrency';
import type { OwnedPlay, Play, PlayKey, PlayStore, PlayWrite, Written } from '@weft/engine';
import type { ClientSession, mongo } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordAudit, type AuditEntryInput } from '../../audit/record-audit.js';
import { isDuplicateKey } from '../../driver/duplicate-key.js';
import { MAJORITY, type Mongo } from '../../driver/mongo.js';
import { isStoreUnavailable } from '../../driver/store-unavailable.js';
import { withOrder } from '../reads/queues.js';
import { findKeyHolders, WITHOUT, type KeyOfPlay } from './key-holders.js';
import { insertWithKeyOf } from './key-takeover.js';
import { DurableCommands, notDurableYet, NotDurableError } from './durable-commands.js';
import { findPlays, findWhole, LargePlay } from '../found-plays.js';
import { CHAIN, CHILDREN, PLAYS } from '../play.schema.js';
import { isLateAnswer, MARK, markedMoves } from '../reads/late-moves.js';
import { PlayWrites } from './play-writes.js';
import { assertStorable, MAX_BATCH_BYTES, weightOfPlay, weightOfWrite } from '../play-sizes.js';
import { refusalOf, serverError, type WriteFault } from './store-refusals.js';
import { seenOfAll, type Outcome, type PendingWrite } from './batch-outcomes.js';
import { PlayInserts, whatIsThere, type Insertion } from './play-inserts.js';
import { MARKED, playFilter, playUpdate } from './play-update.js';

export interface MongoPlayStoreOptions {
  /** For how long `write` repeats the question what became of a write whose answer was lost, in ms. A worker never stops. */
  readonly outcomePatienceMs: number;
  readonly onBatch?: (operation: 'accept' | 'find' | 'write', size: number, seconds: number) => void;
  /** How long one command may take, in ms; default 10 s. */
  readonly answerWithinMs?: number;
}

interface InsertReply {
  readonly operationTime?: mongo.Timestamp;
  readonly writeErrors?: readonly WriteFault[];
}

const MAX_BATCH = 500;
/** Under load a batch may collect for this long: a few milliseconds for fewer round trips. */
const LINGER_MS = 3;
const ASK_AGAIN_MS = 250;
/** For how long `becameStored` asks while MongoDB is unreachable, and how often it looks at a play that has not changed. */
const FIND_OUT_WITHIN_MS = 60_000;
const MOST_LOOKS = 3;
/** Of one write whose answers are lost. After that its caller reads the play and decides anew. */
const MOST_SENDS = 20;
/** How long the end of a play waits for its time to be read. */
const END_WITHIN_MS = 1_000;
/** Inserts of one play whose key is taken and freed again in between. */
const ACCEPT_ATTEMPTS = 20;

/** Aborts a transaction. */
class Declined extends Error {}

const NOT_KNOWN = new Error('it is not known whether the write is stored');

/** Plays in MongoDB. Reads and writes of many callers share round trips; see `GroupCommit`. */
export class MongoPlayStore implements PlayStore {
  private readonly commands: DurableCommands;
  private readonly plays: mongo.Collection<Play>;
  private readonly inserts: PlayInserts;
  private readonly holders: GroupCommit<KeyOfPlay, Play | null>;
  private readonly reads: GroupCommit<PlayKey, Play | LargePlay | null>;
  private readonly largeReads: GroupCommit<PlayKey, Play | null>;
  private readonly writes: GroupCommit<PendingWrite, boolean>;
  private readonly outcomes: GroupCommit<PendingWrite, Outcome>;
  private readonly ends: GroupCommit<PlayKey, Date | undefined>;
  private readonly playWrites: PlayWrites;
  private closing = false;

  constructor(
    private readonly mongo: Mongo,
    private readonly options: MongoPlayStoreOptions,
  ) {
    this.commands = new DurableCommands(mongo, options.answerWithinMs);
    this.plays = mongo.collection<Play>(PLAYS);
    this.playWrites = new PlayWrites(mongo, this.plays, this.commands);
    const group = <I, R>(
      operation: 'accept' | 'find' | 'write',
      flush: (items: readonly I[]) => Promise<readonly BatchOutcome<R>[]>,
      repeats?: (error: unknown, items: readonly I[]) => boolean,
      maxBatch = MAX_BATCH,
    ) =>
      new GroupCommit<I, R>(operation === 'find' ? (items) => this.commands.read(() => flush(items)) : flush, {
        maxBatch,
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
    this.holders = group('find', (keys) => findKeyHolders(this.plays, keys, this.commands.deadline()));
    this.reads = group('find', (keys) => findPlays(this.plays, keys, this.commands));
    // one after the other: whoever asked has room for its own, and not for the answers to all
    this.largeReads = group('find', (keys) => findWhole(this.plays, keys, this.commands), undefined, 1);
    this.writes = group('write', (writes) => this.playWrites.many(writes));
    this.ends = group('find', (keys) => this.playWrites.endsOf(keys));
    this.outcomes = group('find', async (writes) => {
      // the write may have been executed, and wait for a majority
      await this.commands.catchUp();
      return (await seenOfAll(this.plays, writes, this.commands)).map((seen) => ({ ok: seen }));
    });
  }

  /**
   * @param takesKeyOf a failed play: if it holds the key, it gives it to this one
   * @returns `replayed`: the play that is given holds the key, also one that failed, or is the retry of the same play, or the play of
   * the same layer · `wasThere`: one with this id was stored before
   * @throws UnstorableError
   * @throws the error of an unreachable store also while a majority does not have that play
   */
  async accept(play: Play, takesKeyOf?: string): Promise<{ play: Play; replayed: boolean; wasThere?: true }> {
    const bytes = weightOfPlay(play);
    assertStorable(bytes, play._id);
    const taken = takesKeyOf === undefined ? null : await insertWithKeyOf(takesKeyOf, play, this.mongo, this.plays);
    for (let attempt = 1; ; attempt += 1) {
      const insertion = (attempt === 1 && taken) || (await this.inserts.add(play, bytes));
      if (insertion === 'there') return { play, replayed: false, wasThere: true };
      if (insertion === 'stored') return { play, replayed: false };
      // a majority has it: MongoDB lets also an insert that it refuses wait for what was written before
      const other = insertion === 'place_taken' ? await this.playInPlaceOf(play) : await this.holderOf(play);
      if (other) return { play: other, replayed: other._id !== play._id };
      // it freed the key between the two, was erased, or refused the transaction before a majority had it: ours has its chance
      if (attempt === ACCEPT_ATTEMPTS)
        throw notDurableYet(
          `the idempotency key of play ${play._id}, or its place, is taken and freed again and again`,
        );
    }
  }

  private async playInPlaceOf(play: Play): Promise<Play | null> {
    for (const { place, hint } of placesOf(play)) {
      const found = await this.commands.read(() => {
        const options = { projection: WITHOUT, signal: this.commands.deadline(), hint };
        return this.plays.findOne(place as mongo.Filter<Play>, options);
      });
      if (found) return found;
    }
    return null;
  }

  /** The play that holds this key now, without what can be large. */
  holderOf(key: KeyOfPlay): Promise<Play | null> {
    return this.holders.add(key);
  }

  /** @param room asked for these bytes before a large play is read; default: there is room */
  async find(key: PlayKey, room?: (bytes: number) => void | Promise<void>): Promise<Play | null> {
    const found = await this.reads.add(key);
    if (!(found instanceof LargePlay)) return found;
    await room?.(found.bytes);
    return this.largeReads.add(key);
  }

  write(key: PlayKey, write: PlayWrite): Promise<boolean> {
    return this.settled({ key, write });
  }

  /** An update does not say when it was: the time is read. */
  async writeEnd(key: PlayKey, write: PlayWrite): Promise<Written> {
    if (!(await this.write(key, write))) return { isStored: false };
    return { isStored: true, completedAt: await this.endOf(key) };
  }

  /**
   * A command, and what has to be stored with it: both or none. `false`: the match did not hold, `null`: `also` declined; nothing was
   * written then.
   *
   * @param also in the transaction; false: it declines
   * @throws UnstorableError
   * @throws when MongoDB is unreachable, also when it is not known whether it was stored
   */
  async writeWith(
    key: PlayKey,
    write: PlayWrite,
    also: (session: ClientSession) => Promise<boolean>,
  ): Promise<boolean | null> {
    assertStorable(weightOfWrite(write), key.playId);
    const written = this.mongo.transaction(async (session) => {
      const result = await this.plays.updateOne(playFilter(key, write), playUpdate(write, MARKED), { session });
      if (result.matchedCount === 0) return false;
      if (!(await also(session))) throw new Declined();
      return true;
    });
    return written.catch((error: unknown) => {
      if (error instanceof Declined) return null;
      throw refusalOf(key.playId, error) ?? error;
    });
  }

  /** The same with an audit entry: a user's command. */
  async writeAudited(key: PlayKey, write: PlayWrite, entry: AuditEntryInput): Promise<boolean> {
    const audited = async (session: ClientSession) => {
      await recordAudit(session, entry);
      return true;
    };
    return (await this.writeWith(key, write, audited)) === true;
  }

  /**
   * Whether a write whose answer was lost is stored after all: for those who answered their caller without knowing it. Waits for up to
   * a minute while MongoDB is unreachable; what is not known by then counts as not stored.
   */
  async becameStored(key: PlayKey, write: PlayWrite): Promise<boolean> {
    const lostAt = performance.now();
    for (let looks = 1; ; looks += 1) {
      try {
        const outcome = await this.outcomeOf({ key, write }, NOT_KNOWN, lostAt, FIND_OUT_WITHIN_MS);
        // it may still be on its way
        if (outcome !== 'unchanged' || looks === MOST_LOOKS) return outcome === 'stored';
        await sleep(looks * ASK_AGAIN_MS);
      } catch {
        return false;
      }
    }
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
    const mine = await this.commands.read(() => this.plays.find(filter, { projection: { owner: 1 } }).toArray());
    const held = new Set(mine.map((play) => `${play._id} ${play.owner}`));
    return owned.filter(({ key, owner }) => !held.has(`${key.playId} ${owner}`));
  }

  /** Stops asking for lost outcomes: the process ends. */
  close(): void {
    this.closing = true;
  }

  /** Nothing but the time is missing without an answer. */
  private async endOf(key: PlayKey): Promise<Date | undefined> {
    const waited = new AbortController();
    const tooLong = sleep(END_WITHIN_MS, undefined, { signal: waited.signal });
    try {
      return await Promise.race([this.ends.add(key), tooLong]);
    } catch {
      return undefined;
    } finally {
      waited.abort();
      tooLong.catch(() => undefined);
    }
  }

  /**
   * Finds out what became of a write whose answer was lost. If the play is as it was before, the write may still be on its way: a
   * server that was frozen executes it later. So it is sent again: MongoDB executes one of the two, and refuses the other.
   */
  private async settled(pending: PendingWrite): Promise<boolean> {
    const { key, write } = pending;
    const bytes = weightOfWrite(write);
    assertStorable(bytes, key.playId);
    let lostAt: number | undefined;
    for (let sent = 1; ; sent += 1) {
      try {
        return await this.writes.add(pending, bytes);
      } catch (error) {
        const refusal = refusalOf(key.playId, error);
        if (refusal) throw refusal;
        lostAt ??= performance.now();
        const outcome = await this.outcomeOf(pending, error, lostAt);
        const mayCome = outcome === 'unchanged' && isStoreUnavailable(error) && sent < MOST_SENDS;
        if (!mayCome) return outcome === 'stored';
      }
    }
  }

  private async insertMany(plays: readonly Play[]): Promise<BatchOutcome<Insertion>[]> {
    const sentAt = this.mongo.serverNow();
    const { writeErrors, operationTime } = await this.commands.send<InsertReply>({
      insert: PLAYS,
      documents: withOrder(markedMoves(plays, sentAt)),
      ordered: false,
    });
    if (isLateAnswer(operationTime, sentAt)) await this.markAgain(plays);
    if (!writeErrors) return plays.map(() => ({ ok: 'stored' }));
    const faults = new Map(writeErrors.map((fault) => [fault.index, fault]));
    return plays.map((_play, i): BatchOutcome<Insertion> => {
      const fault = faults.get(i);
      if (!fault) return { ok: 'stored' };
      if (!isDuplicateKey(fault)) return { error: serverError(fault) };
      return { ok: whatIsThere(fault.errmsg) };
    });
  }

  /** Their marks, or that they have none, are of a time long before they were there. */
  private async markAgain(plays: readonly Play[]): Promise<void> {
    const ids = plays.map(({ _id }) => _id);
    if (ids.length > 0) await this.plays.updateMany({ _id: { $in: ids } }, MARK, { writeConcern: MAJORITY });
  }

  private async outcomeOf(
    pending: PendingWrite,
    cause: unknown,
    lostAt: number,
    patienceMs = this.options.outcomePatienceMs,
  ): Promise<Outcome> {
    for (;;) {
      if (this.closing || performance.now() - lostAt >= patienceMs) throw cause;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      try {
        return await this.outcomes.add(pending);
      } catch {
        // MongoDB is still unreachable; nothing is decided without it
      }
    }
  }
}

/** Of which each belongs to one play, with the index that gives it: see `PLACES`. */
function placesOf({ company_id, flowId, chain, parentPlayId, parent }: Play) {
  const inChain = chain && { company_id, 'chain.first': chain.first, 'chain.nth': chain.nth };
  const { first, nth, layer, item } = parent ?? {};
  const at = { 'parent.first': first, 'parent.layer': layer, 'parent.item': item ?? null, 'parent.nth': nth };
  return [
    ...(inChain ? [{ place: inChain, hint: CHAIN }] : []),
    ...(parent ? [{ place: { company_id, ...at, parentPlayId, flowId }, hint: CHILDREN }] : []),
  ];
}
