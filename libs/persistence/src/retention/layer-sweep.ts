import { isFinal } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import { BATCH_SIZE, cutoffOf, type RetentionRule } from '@weft/retention';
import type { ClientSession, mongo } from 'mongoose';
import { PLAYS } from '../plays/play.schema.js';
import { NEVER_AWAITED, pagesOfMaybeAwaited, withoutAwaited, type MaybeAwaited } from './awaited-plays.js';
import { endedBefore } from './delete-plays.js';
import type { PlaySweep } from './play-sweep.js';
import { RETENTION_STATES, type RetentionStateDocument } from './retention-state.schema.js';
import { timed, type Sweep, type SweepContext, type SweepPreview, type SweepStep } from './sweep.js';

/** The most plays that are remembered one by one because their layers could not be erased when it was their turn. */
const MOST_LEFT = 10_000;

interface Results {
  readonly results: number;
}
type Row = MaybeAwaited & Results & Pick<Play, 'completedAt' | 'layersErasedAt' | 'argsRef' | 'laneTurn' | 'laneStops'>;
const RESULTS = { results: { $size: '$layers' } } as const;
const ROW = {
  ...{ state: 1, completedAt: 1, layersErasedAt: 1, argsRef: 1, laneTurn: 1, laneStops: 1, parentPlayId: 1 },
  ...RESULTS,
} as const;

/** What is remembered of the walk over plays. */
type Walked = Pick<RetentionStateDocument, 'layersDoneTo' | 'layersLeft' | 'layersAgainFrom'>;

/** What one step found: rows whose turn it is, and what is to be remembered when they are done. */
interface Batch {
  readonly rows: readonly Row[];
  readonly due: readonly Row[];
  /** Null: the ones of the last step are still right. */
  readonly done: Walked | null;
  readonly more: boolean;
  /** True: the next step takes more of those whose turn came too early before. */
  readonly moreLeft?: boolean;
}

/**
 * Erases the layers of old plays, which themselves stay readable: results, outputs and the events of layers. Plays are
 * walked once, in the order of their ids; how far is remembered, with those whose turn came too early (they had not ended, or
 * late, or an open play may still need them). So what was done is not read again, and plays need no index for it. When more
 * came too early than are remembered one by one, the next run walks again from the first that was not.
 */
export class LayerSweep implements Sweep {
  readonly collection = 'play_layers';
  readonly scope = 'play_layers';
  private after?: string;
  private before?: string | null;

  /**
   * @param plays whose layers go with them, and before
   * @param mostLeft how many plays are remembered one by one
   */
  constructor(
    private readonly context: SweepContext,
    private readonly rule: RetentionRule,
    private readonly plays: readonly PlaySweep[],
    private readonly mostLeft = MOST_LEFT,
  ) {}

  get policyId() {
    return this.rule.policyId;
  }

  async step(): Promise<SweepStep> {
    let decidedMs = 0;
    let batch: Batch | undefined;
    const deleted = await this.context.mongo.transaction(async (session) => {
      const decided = await timed(() => this.next(session));
      ({ decidedMs, found: batch } = decided);
      return this.erase(decided.found, session);
    });
    if (!batch?.moreLeft) this.after = batch?.rows.at(-1)?._id ?? this.after ?? '';
    return { deleted, more: batch?.more ?? false, decidedMs };
  }

  async preview(): Promise<SweepPreview> {
    const going = (await Promise.all(this.plays.map((sweep) => sweep.going()))).flat();
    const whole: mongo.Filter<Play> = {
      company_id: this.context.company.companyId,
      layersErasedAt: { $exists: false },
    };
    // what has ended is asked for with a $nor of its own
    const staying = { ...whole, ...(going.length > 0 && { $and: [{ $nor: [...going] }] }) };
    let all = await this.sum(staying);
    for (const filter of going) all += (await this.sumMaybeAwaited({ $and: [whole, filter] })).awaited;
    const state = await this.state();
    const before = await this.oldestThatStays(state);
    if (before === null) return { wouldDelete: 0, kept: all };
    const left = (state?.layersLeft ?? []).filter((id) => id < before);
    const turn = [{ _id: { $gt: walkedTo(state), $lt: before } }, { _id: { $in: left } }];
    const due = { ...staying, ...endedBefore(this.cutoff()), $or: turn };
    const wouldDelete = (await this.sum({ $and: [due, NEVER_AWAITED] })) + (await this.sumMaybeAwaited(due)).free;
    return { wouldDelete, kept: all - wouldDelete };
  }

  private async next(session: ClientSession): Promise<Batch> {
    const state = await this.state(session);
    this.before ??= await this.oldestThatStays(state);
    if (this.before === null) return { rows: [], due: [], done: null, more: false };
    if (this.after === undefined) return this.nextOfLeft(state, this.before, session);
    const after = [this.after, state?.layersDoneTo ?? ''].sort().at(-1) ?? '';
    const upTo = lastIdAt(Math.max(0, this.cutoff().getTime()));
    const rows = await this.rows({ _id: { $gt: after, $lt: this.before, $lte: upTo } }, session);
    const due = await this.dueOf(rows);
    return { rows, due, done: this.walked(state, after, rows, due), more: rows.length === BATCH_SIZE };
  }

  /** What is to be remembered after these rows; null: nothing new. */
  private walked(
    state: RetentionStateDocument | null,
    after: string,
    rows: readonly Row[],
    due: readonly Row[],
  ): Walked | null {
    const went = new Set(due.map(({ _id }) => _id));
    const early = rows.flatMap((row) => (!went.has(row._id) && this.isEarly(row) ? row._id : []));
    const left = [...(state?.layersLeft ?? []), ...early];
    const isFull = early.length > 0 && left.length > this.mostLeft;
    const againFrom = state?.layersAgainFrom ?? (isFull ? after : null);
    if (rows.length < BATCH_SIZE && againFrom !== null) return { layersDoneTo: againFrom, layersAgainFrom: null };
    const layersDoneTo = rows.at(-1)?._id;
    if (layersDoneTo === undefined) return null;
    // what comes after the first that was not remembered is walked again: remembered now, it would be there twice
    return againFrom === null ? { layersDoneTo, layersLeft: left } : { layersDoneTo, layersAgainFrom: againFrom };
  }

  /** Those whose turn came too early before: the first steps of a visit. Each full batch of them leaves fewer, so these steps end. */
  private async nextOfLeft(
    state: RetentionStateDocument | null,
    before: string,
    session: ClientSession,
  ): Promise<Batch> {
    const known = state?.layersLeft ?? [];
    if (known.length === 0) return { rows: [], due: [], done: null, more: true };
    const rows = await this.rows({ _id: { $in: [...known] } }, session, known.length);
    const due = await this.dueOf(rows.filter(({ _id }) => _id < before));
    const went = new Set(due.map(({ _id }) => _id));
    const layersLeft = rows.flatMap((row) => (!went.has(row._id) && this.isEarly(row) ? row._id : []));
    const done = layersLeft.length < known.length ? { layersLeft } : null;
    return { rows: [], due, done, more: true, moreLeft: due.length === BATCH_SIZE };
  }

  private async erase({ due, done }: Batch, session: ClientSession): Promise<number> {
    const { mongo, company, now, payloads, states } = this.context;
    const ids = due.map(({ _id }) => _id);
    if (ids.length > 0) {
      const still = {
        company_id: company.companyId,
        layersErasedAt: { $exists: false },
        ...endedBefore(this.cutoff()),
      };
      const { modifiedCount } = await this.collectionOfPlays().updateMany(
        { ...still, _id: { $in: ids } },
        erasure(now),
        {
          session,
        },
      );
      // what a transaction has read it writes, or it starts anew
      if (modifiedCount < ids.length) throw new Error('a play changed within the transaction that had read it');
      const args = due.flatMap(({ argsRef }) => argsRef ?? []);
      await payloads.letGoOutputs(company, ids, session, args);
    }
    if (done) {
      await mongo
        .collection<RetentionStateDocument>(RETENTION_STATES)
        .updateOne({ _id: company.companyId }, { $set: done }, { session, upsert: true });
    }
    const layers = layersOf(due);
    await states.count(session, company, 'play_layers', layers);
    return layers;
  }

  /** Of these rows the first that go, at most a batch. */
  private async dueOf(rows: readonly Row[]): Promise<readonly Row[]> {
    const due: Row[] = [];
    const old = rows.filter((row) => this.isDue(row));
    for (let i = 0; i < old.length && due.length < BATCH_SIZE; i += BATCH_SIZE) {
      const some = old.slice(i, i + BATCH_SIZE);
      due.push(...(await withoutAwaited(this.collectionOfPlays(), this.context.company, some)));
    }
    return due.slice(0, BATCH_SIZE);
  }

  /** Unless an open play may still need the layers. */
  private isDue({ state, completedAt, layersErasedAt, results, laneTurn, laneStops }: Row): boolean {
    // a retry needs what the layers have done
    if (laneTurn && laneStops) return false;
    return results > 0 && !layersErasedAt && isFinal(state) && completedAt !== undefined && completedAt < this.cutoff();
  }

  /** Of a row that does not go now: whether it may go later. */
  private isEarly(row: Row): boolean {
    return !row.layersErasedAt && !(isFinal(row.state) && row.results === 0);
  }

  /** The oldest play of those whose layers are among the newest; null when no layers are older. */
  private async oldestThatStays(state: RetentionStateDocument | null): Promise<string | null> {
    const { companyId: company_id } = this.context.company;
    const upTo = lastIdAt(Math.max(0, this.cutoff().getTime()));
    const isAnyNew = await this.collectionOfPlays().findOne(
      { company_id, _id: { $gt: walkedTo(state), $lte: upTo } },
      { projection: { _id: 1 } },
    );
    if (!isAnyNew && (state?.layersLeft ?? []).length === 0) return null;
    const newest = this.context.mongo
      .walked<Play>(PLAYS)
      .find<Pick<Play, '_id' | 'cursor'>>(
        { company_id, layersErasedAt: { $exists: false } },
        { projection: { cursor: 1 }, sort: { _id: -1 }, batchSize: 1_000 },
      )
      .hint('company_plays');
    let layers = 0;
    for await (const { _id, cursor } of newest) {
      layers += cursor;
      if (layers >= this.rule.minEntries) return _id;
    }
    return null;
  }

  private rows(filter: mongo.Filter<Play>, session: ClientSession, limit = BATCH_SIZE): Promise<Row[]> {
    return this.collectionOfPlays()
      .find<Row>({ ...filter, company_id: this.context.company.companyId }, { projection: ROW, session })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  private async sum(filter: mongo.Filter<Play>): Promise<number> {
    const [row] = await this.collectionOfPlays()
      .aggregate<{ readonly layers: number }>([
        { $match: filter },
        { $group: { _id: null, layers: { $sum: { $size: '$layers' } } } },
      ])
      .toArray();
    return row?.layers ?? 0;
  }

  /** Layers of the children and failed plays that match: of those that an open play may still need, and of the others. */
  private async sumMaybeAwaited(
    filter: mongo.Filter<Play>,
  ): Promise<{ readonly awaited: number; readonly free: number }> {
    const { company } = this.context;
    let [all, free] = [0, 0];
    for await (const page of pagesOfMaybeAwaited<Results>(this.collectionOfPlays(), company, filter, RESULTS)) {
      all += layersOf(page.found);
      free += layersOf(page.free);
    }
    return { awaited: all - free, free };
  }

  private cutoff(): Date {
    return new Date(cutoffOf(this.rule, this.context.now.getTime()));
  }

  private state(session?: ClientSession): Promise<RetentionStateDocument | null> {
    const states = this.context.mongo.collection<RetentionStateDocument>(RETENTION_STATES);
    return states.findOne({ _id: this.context.company.companyId }, { session });
  }

  private collectionOfPlays(): mongo.Collection<Play> {
    return this.context.mongo.collection<Play>(PLAYS);
  }
}

/** Plays up to this id need no further look, except those that are left. */
function walkedTo(state: RetentionStateDocument | null): string {
  return state?.layersAgainFrom ?? state?.layersDoneTo ?? '';
}

function layersOf(rows: readonly Results[]): number {
  return rows.reduce((sum, { results }) => sum + results, 0);
}

/** What stays of the log: the moves of the play itself, so that its journal still tells how it went, and its end. */
function erasure(now: Date): mongo.Document[] {
  const ofThePlay = { $in: ['$$entry.type', ['state', 'end']] };
  return [
    {
      $set: {
        layers: [],
        log: { $filter: { input: '$log', as: 'entry', cond: ofThePlay } },
        layersErasedAt: now,
      },
    },
    { $unset: ['waits', 'tries', 'inbox', 'started', 'doneItems'] },
  ];
}
