import type { OwnedPlay, Play, PlayKey, PlayStore, PlayWrite } from '@weft/engine';
import { mongo } from 'mongoose';
import { GroupCommit, type BatchOutcome } from '../group-commit.js';
import { MAJORITY, type Mongo } from '../mongo.js';
import { PLAYS } from './play.schema.js';
import { playFilter, playUpdate, showsWrite } from './play-update.js';

export interface MongoPlayStoreOptions {
  /** How long `write` goes on asking what became of it when the answer was lost, in ms. A worker waits for ever. */
  readonly outcomePatienceMs: number;
  readonly onBatch?: (operation: 'accept' | 'find' | 'write', size: number, seconds: number) => void;
}

interface PendingWrite {
  readonly key: PlayKey;
  readonly write: PlayWrite;
}

const MAX_BATCH = 500;
const ASK_AGAIN_MS = 250;
const DUPLICATE_KEY = 11_000;
const ACCEPT_ATTEMPTS = 5;

/** Plays in MongoDB. Reads and writes of many callers share round trips; see `GroupCommit`. */
export class MongoPlayStore implements PlayStore {
  private readonly plays: mongo.Collection<Play>;
  private readonly inserts: GroupCommit<Play, Play | null>;
  private readonly reads: GroupCommit<PlayKey, Play | null>;
  private readonly writes: GroupCommit<PendingWrite, boolean>;
  private closing = false;

  constructor(
    mongo: Mongo,
    private readonly options: MongoPlayStoreOptions,
  ) {
    this.plays = mongo.collection<Play>(PLAYS);
    const group = <I, R>(
      operation: 'accept' | 'find' | 'write',
      flush: (items: readonly I[]) => Promise<readonly BatchOutcome<R>[]>,
      inFlight: number,
    ) =>
      new GroupCommit<I, R>(flush, {
        maxBatch: MAX_BATCH,
        inFlight,
        onBatch: (size, seconds) => options.onBatch?.(operation, size, seconds),
      });
    this.inserts = group('accept', (plays) => this.insertMany(plays), 1);
    this.reads = group('find', (keys) => this.findMany(keys), 1);
    this.writes = group('write', (writes) => this.writeMany(writes), 1);
  }

  async accept(play: Play): Promise<{ play: Play; replayed: boolean }> {
    for (let attempt = 1; ; attempt += 1) {
      const inserted = await this.inserts.add(play);
      if (inserted) return { play: inserted, replayed: false };
      const holder = await this.holderOf(play);
      if (holder) return { play: holder, replayed: true };
      // the holder freed the key between the two: ours has its chance
      if (attempt === ACCEPT_ATTEMPTS)
        throw new Error(`the idempotency key of play ${play._id} is taken and freed again and again`);
    }
  }

  find(key: PlayKey): Promise<Play | null> {
    return this.reads.add(key);
  }

  async write(key: PlayKey, write: PlayWrite): Promise<boolean> {
    try {
      return await this.writes.add({ key, write });
    } catch (error) {
      return this.outcomeOf({ key, write }, error);
    }
  }

  async renew(owned: readonly OwnedPlay[]): Promise<readonly OwnedPlay[]> {
    if (owned.length === 0) return [];
    const filter = {
      _id: { $in: owned.map(({ key }) => key.playId) },
      owner: { $in: owned.map(({ owner }) => owner) },
      state: { $in: ['RUN', 'ON_HOLD'] },
    } as mongo.Filter<Play>;
    const result = await this.plays.updateMany(filter, { $currentDate: { beatAt: true } }, { writeConcern: MAJORITY });
    if (result.matchedCount === owned.length) return [];
    const mine = await this.plays.find(filter, { projection: { owner: 1 } }).toArray();
    const held = new Set(mine.map((play) => `${play._id} ${play.owner}`));
    return owned.filter(({ key, owner }) => !held.has(`${key.playId} ${owner}`));
  }

  /** Stops asking for lost outcomes: the process ends. */
  close(): void {
    this.closing = true;
  }

  private async insertMany(plays: readonly Play[]): Promise<BatchOutcome<Play | null>[]> {
    try {
      await this.plays.insertMany(plays as never, { ordered: false, writeConcern: MAJORITY, ignoreUndefined: true });
      return plays.map((play) => ({ ok: play }));
    } catch (error) {
      if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
      const faults = new Map([error.writeErrors].flat().map((fault) => [fault.index, fault] as const));
      if (faults.size === 0) throw error;
      return plays.map((play, i): BatchOutcome<Play | null> => {
        const fault = faults.get(i);
        if (!fault) return { ok: play };
        if (fault.code !== DUPLICATE_KEY) return { error: fault };
        // an id that is there already is ours: the answer to its first insert was lost
        return { ok: isKeyConflict(fault) ? null : play };
      });
    }
  }

  private async holderOf({ company_id, flowId, key }: Play): Promise<Play | null> {
    return this.plays.findOne({ company_id, flowId, key } as mongo.Filter<Play>);
  }

  private async findMany(keys: readonly PlayKey[]): Promise<BatchOutcome<Play | null>[]> {
    const found = await this.plays
      .find({
        _id: { $in: keys.map((key) => key.playId) },
        company_id: { $in: distinct(keys.map((key) => key.companyId)) },
        flowId: { $in: distinct(keys.map((key) => key.flowId)) },
      } as mongo.Filter<Play>)
      .toArray();
    const byId = new Map(found.map((play) => [play._id, play as Play]));
    return keys.map((key) => ({ ok: byId.get(key.playId) ?? null }));
  }

  private async writeMany(pending: readonly PendingWrite[]): Promise<BatchOutcome<boolean>[]> {
    const result = await this.plays.bulkWrite(
      pending.map(({ key, write }) => ({ updateOne: { filter: playFilter(key, write), update: playUpdate(write) } })),
      { ordered: false, writeConcern: MAJORITY, ignoreUndefined: true },
    );
    if (result.matchedCount === pending.length) return pending.map(() => ({ ok: true }));
    // a bulk reports only a total: read, never guess
    const stored = await this.findMany(pending.map(({ key }) => key));
    return stored.map((outcome, i) => {
      const one = pending[i];
      return 'ok' in outcome && one ? { ok: showsWrite(outcome.ok, one.write) } : { ok: false };
    });
  }

  private async outcomeOf({ key, write }: PendingWrite, cause: unknown): Promise<boolean> {
    const started = performance.now();
    for (;;) {
      if (this.closing || performance.now() - started >= this.options.outcomePatienceMs) throw cause;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      try {
        return showsWrite(await this.find(key), write);
      } catch {
        // MongoDB is still away; nothing is decided without it
      }
    }
  }
}

function isKeyConflict(fault: mongo.WriteError): boolean {
  return fault.errmsg?.includes('binding_key') ?? false;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
