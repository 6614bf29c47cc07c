import { isFinal } from '@weft/contracts';
import { isAtStoppedLane, type Play } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import { BATCH_SIZE, cutoffOf, type RetentionRule } from '@weft/retention';
import type { ClientSession, mongo } from 'mongoose';
import { PLAYS } from '@weft/store';
import { MAYBE_AWAITED_FIELDS, NEVER_AWAITED, withoutAwaited, type MaybeAwaited } from './awaited-plays.js';
import { RESULTS, countLayers, countMaybeAwaited, layersOf, type Results } from './count-layers.js';
import { endedBefore } from './delete-plays.js';
import { walkAgain, walkedTo, type Walked } from './layer-walk.js';
import { NewestLayers } from './newest-layers.js';
import type { PlaySweep } from './play-sweep.js';
import { RETENTION_STATES, type RetentionStateDocument } from './retention-state.schema.js';
import { NOTHING, previewOf, sumOf, withinTime } from './preview-count.js';
import { timed, type Sweep, type SweepContext, type SweepPreview, type SweepStep } from './sweep.js';

/** The most plays that are remembered one by one because their layers could not be erased when it was their turn. */
const MOST_LEFT = 10_000;
/** Those that are not remembered are walked again after this time, or when this part of the remembered ones need not be any more. */
const AGAIN_AFTER_MS = 3_600_000;
const CHANGED_PART = 0.1;

type Row = MaybeAwaited & Results & Pick<Play, 'completedAt' | 'layersErasedAt' | 'argsRef' | 'turns'>;
const ROW = {
  ...MAYBE_AWAITED_FIELDS,
  ...{ completedAt: 1, layersErasedAt: 1, argsRef: 1, turns: 1 },
  ...RESULTS,
} as const;

/** What one step found: rows whose turn it is, and what is to be remembered when they are done. */
interface Batch {
  readonly due: readonly Row[];
  /** Null: nothing new. */
  readonly done: Walked | null;
  readonly more: boolean;
  /** The last of the remembered plays that was looked at; null: the walk over the others has begun. */
  readonly leftTo: string | null;
  /** How many need not be remembered any more. */
  readonly settled?: number;
}

/** How far a sweep has come in one run. */
export interface LayerPosition {
  newest?: NewestLayers;
  /** The oldest play of those whose layers are among the newest; null: no layers are older. */
  before?: string | null;
  leftTo: string | null;
  settled: number;
}

export function layerStart(): LayerPosition {
  return { leftTo: '', settled: 0 };
}

/**
 * Erases the layers of old plays, which themselves stay readable: results, outputs and the events of layers. Plays are
 * walked once, in the order of their ids; how far is remembered, with those whose turn came too early (they had not ended, or
 * late, or an open play may still need them). So what was done is not read again, and plays need no index for it. When more
 * came too early than are remembered one by one, a later run walks again from the first that was not: after an hour, or when
 * many of those that are remembered went. A step reads one page, and a run goes on where its last step ended.
 */
export class LayerSweep implements Sweep {
  readonly collection = 'play_layers';
  readonly scope = 'play_layers';

  /**
   * @param plays whose layers go with them, and before
   * @param position of the run; the sweep moves it on
   * @param mostLeft how many plays are remembered one by one
   */
  constructor(
    private readonly context: SweepContext,
    private readonly rule: RetentionRule,
    private readonly plays: readonly PlaySweep[],
    private readonly position = layerStart(),
    private readonly mostLeft = MOST_LEFT,
  ) {}

  get policyId() {
    return this.rule.policyId;
  }

  async step(): Promise<SweepStep> {
    const { position } = this;
    const counted = await timed(() => this.countNewest());
    const before = counted.found;
    if (before === undefined || before === null)
      return { deleted: 0, more: before === undefined, decidedMs: counted.decidedMs };
    let { decidedMs } = counted;
    let batch: Batch | undefined;
    const deleted = await this.context.mongo.transaction(async (session) => {
      const decided = await timed(() => this.next(before, session));
      batch = decided.found;
      decidedMs = counted.decidedMs + decided.decidedMs;
      return this.erase(decided.found, session);
    });
    position.leftTo = batch?.leftTo ?? null;
    position.settled += batch?.settled ?? 0;
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
    const plays = this.collectionOfPlays();
    const { company } = this.context;
    const awaited = going.map(
      async (filter) => (await countMaybeAwaited(plays, company, { $and: [whole, filter] })).awaited,
    );
    const all = await sumOf([countLayers(plays, staying), ...awaited].map(withinTime));
    const state = await this.state();
    const before = (await (await this.newestLayers(state))?.find()) ?? null;
    if (before === null) return previewOf(NOTHING, all);
    const left = (state?.layersLeft ?? []).filter((id) => id < before);
    const turn = [{ _id: { $gt: walkedTo(state), $lt: before } }, { _id: { $in: left } }];
    const due = { ...staying, ...endedBefore(this.cutoff()), $or: turn };
    const free = countMaybeAwaited(plays, company, due).then((counts) => counts.free);
    const others = countLayers(plays, { $and: [due, NEVER_AWAITED] });
    return previewOf(await sumOf([free, others].map(withinTime)), all);
  }

  /** Once a run, in as many steps as it takes. */
  private async countNewest(): Promise<string | null | undefined> {
    const { position } = this;
    if (position.before !== undefined) return position.before;
    const newest = (position.newest ??= (await this.newestLayers(await this.state())) ?? undefined);
    return (position.before = newest ? await newest.step() : null);
  }

  private async next(before: string, session: ClientSession): Promise<Batch> {
    const state = await this.state(session);
    const { leftTo } = this.position;
    const left = leftTo === null ? [] : (state?.layersLeft ?? []).filter((id) => id > leftTo).sort();
    return left.length > 0
      ? this.nextOfLeft(left.slice(0, BATCH_SIZE), before, state, session)
      : this.nextOfWalk(before, this.isAgain(state) ? walkAgain(state) : state, session);
  }

  /** Some of those whose turn came too early before. */
  private async nextOfLeft(
    ids: readonly string[],
    before: string,
    state: RetentionStateDocument | null,
    session: ClientSession,
  ): Promise<Batch> {
    const rows = await this.rows({ _id: { $in: [...ids] } }, session);
    const due = await this.dueOf(rows.filter(({ _id }) => _id < before));
    const early = new Set(this.earlyOf(rows, due));
    const settled = new Set(ids.filter((id) => !early.has(id)));
    const layersLeft = (state?.layersLeft ?? []).filter((id) => !settled.has(id));
    const done = settled.size > 0 ? { layersLeft } : null;
    return { due, done, more: true, leftTo: ids.at(-1) ?? null, settled: settled.size };
  }

  /** From the mark that is stored alone: another run may have moved it back since the last step of this one. */
  private async nextOfWalk(before: string, state: Walked | null, session: ClientSession): Promise<Batch> {
    const after = state?.layersDoneTo ?? '';
    const upTo = lastIdAt(Math.max(0, this.cutoff().getTime()));
    const rows = await this.rows({ _id: { $gt: after, $lt: before, $lte: upTo } }, session);
    const due = await this.dueOf(rows);
    const done = this.walked(state, after, rows, due);
    return { due, done, more: rows.length === BATCH_SIZE, leftTo: null };
  }

  /** Whether the walk begins once more where it left out the first play: at most once a run. */
  private isAgain(state: Walked | null): boolean {
    const { leftTo, settled } = this.position;
    if (leftTo === null || !state?.layersAgainFrom || !state.layersAgainAt) return false;
    return state.layersAgainAt <= this.context.now || settled >= this.mostLeft * CHANGED_PART;
  }

  /** What is to be remembered after these rows. */
  private walked(state: Walked | null, after: string, rows: readonly Row[], due: readonly Row[]): Walked {
    const early = this.earlyOf(rows, due);
    const left = [...(state?.layersLeft ?? []), ...early];
    const isFull = early.length > 0 && left.length > this.mostLeft;
    const layersDoneTo = rows.at(-1)?._id ?? after;
    const layersAgainFrom = state?.layersAgainFrom ?? (isFull ? after : null);
    if (layersAgainFrom === null)
      return { layersDoneTo, layersAgainFrom, layersAgainAt: null, ...(early.length > 0 && { layersLeft: left }) };
    const isEnd = rows.length < BATCH_SIZE;
    const inAnHour = () => new Date(this.context.mongo.serverNow() + AGAIN_AFTER_MS);
    // what comes after the first that was not remembered is walked again: remembered now, it would be there twice
    return { layersDoneTo, layersAgainFrom, layersAgainAt: state?.layersAgainAt ?? (isEnd ? inAnHour() : null) };
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
        { session },
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

  private dueOf(rows: readonly Row[]): Promise<readonly Row[]> {
    const old = rows.filter((row) => this.isDue(row));
    return withoutAwaited(this.collectionOfPlays(), this.context.company, old);
  }

  private earlyOf(rows: readonly Row[], due: readonly Row[]): readonly string[] {
    const went = new Set(due.map(({ _id }) => _id));
    return rows.flatMap((row) => (!went.has(row._id) && isEarly(row) ? row._id : []));
  }

  /** Unless an open play may still need the layers. */
  private isDue({ state, completedAt, layersErasedAt, results, turns }: Row): boolean {
    // a retry needs what the layers have done
    if (isAtStoppedLane({ state, turns })) return false;
    return results > 0 && !layersErasedAt && isFinal(state) && completedAt !== undefined && completedAt < this.cutoff();
  }

  /** Null: no layers may go. */
  private async newestLayers(state: RetentionStateDocument | null): Promise<NewestLayers | null> {
    const { companyId: company_id } = this.context.company;
    const upTo = lastIdAt(Math.max(0, this.cutoff().getTime()));
    const isAnyNew = await this.collectionOfPlays().findOne(
      { company_id, _id: { $gt: walkedTo(state), $lte: upTo } },
      { projection: { _id: 1 } },
    );
    const left = state?.layersLeft ?? [];
    if (!isAnyNew && left.length === 0) return null;
    const [oldest = ''] = [...left, walkedTo(state)].sort();
    return new NewestLayers(this.collectionOfPlays(), company_id, this.rule.minEntries, oldest);
  }

  private rows(filter: mongo.Filter<Play>, session: ClientSession): Promise<Row[]> {
    return this.collectionOfPlays()
      .find<Row>({ ...filter, company_id: this.context.company.companyId }, { projection: ROW, session })
      .sort({ _id: 1 })
      .limit(BATCH_SIZE)
      .toArray();
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

/** Of a row that does not go now: whether it may go later. */
function isEarly(row: Row): boolean {
  return !row.layersErasedAt && !(isFinal(row.state) && row.results === 0);
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
