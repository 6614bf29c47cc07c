import { isFinal } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import { BATCH_SIZE, cutoffOf, type RetentionRule } from '@weft/retention';
import type { ClientSession, mongo } from 'mongoose';
import { PLAYS } from '../plays/play.schema.js';
import { endedBefore } from './delete-plays.js';
import type { PlaySweep } from './play-sweep.js';
import { RETENTION_STATES, type RetentionStateDocument } from './retention-state.schema.js';
import { timed, type Sweep, type SweepContext, type SweepPreview, type SweepStep } from './sweep.js';

/** The most plays that are remembered one by one because their layers could not be erased when it was their turn. */
const MOST_LEFT = 10_000;

type Row = Pick<Play, '_id' | 'state' | 'completedAt' | 'layersErasedAt' | 'argsRef' | 'laneTurn' | 'laneStops'> & {
  readonly results: number;
};
const ROW = {
  ...{ state: 1, completedAt: 1, layersErasedAt: 1, argsRef: 1, laneTurn: 1, laneStops: 1 },
  results: { $size: '$layers' },
} as const;

/** What one step found: rows whose turn it is, and what is to be remembered when they are done. */
interface Batch {
  readonly rows: readonly Row[];
  readonly due: readonly Row[];
  /** Null: the ones of the last step are still right. */
  readonly done: Pick<RetentionStateDocument, 'layersDoneTo' | 'layersLeft'> | null;
  readonly more: boolean;
}

/**
 * Erases the layers of old plays, which themselves stay readable: results, outputs and the events of layers. Plays are
 * walked once, in the order of their ids; how far is remembered, with those whose turn came too early (they had not ended, or
 * late). So what was done is not read again, and plays need no index for it.
 */
export class LayerSweep implements Sweep {
  readonly collection = 'play_layers';
  readonly scope = 'play_layers';
  private after?: string;
  private before?: string | null;

  /** @param plays whose layers go with them, and before */
  constructor(
    private readonly context: SweepContext,
    private readonly rule: RetentionRule,
    private readonly plays: readonly PlaySweep[],
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
    this.after = batch?.rows.at(-1)?._id ?? this.after ?? '';
    return { deleted, more: batch?.more ?? false, decidedMs };
  }

  async preview(): Promise<SweepPreview> {
    const going = (await Promise.all(this.plays.map((sweep) => sweep.going()))).flat();
    const whole: mongo.Filter<Play> = {
      company_id: this.context.company.companyId,
      layersErasedAt: { $exists: false },
      // what has ended is asked for with a $nor of its own
      ...(going.length > 0 && { $and: [{ $nor: [...going] }] }),
    };
    const all = await this.sum(whole);
    const state = await this.state();
    const before = await this.oldestThatStays(state);
    if (before === null) return { wouldDelete: 0, kept: all };
    const left = (state?.layersLeft ?? []).filter((id) => id < before);
    const turn = [{ _id: { $gt: state?.layersDoneTo ?? '', $lt: before } }, { _id: { $in: left } }];
    const wouldDelete = await this.sum({ ...whole, ...endedBefore(this.cutoff()), $or: turn });
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
    const left = [...(state?.layersLeft ?? []), ...rows.filter((row) => this.isEarly(row)).map(({ _id }) => _id)];
    const last = rows.at(-1)?._id;
    const isRemembered = last !== undefined && left.length <= MOST_LEFT;
    return {
      rows,
      due: rows.filter((row) => this.isDue(row)),
      done: isRemembered ? { layersDoneTo: last, layersLeft: left } : null,
      more: rows.length === BATCH_SIZE,
    };
  }

  /** Those whose turn came too early before: the first step of a visit. */
  private async nextOfLeft(
    state: RetentionStateDocument | null,
    before: string,
    session: ClientSession,
  ): Promise<Batch> {
    const known = state?.layersLeft ?? [];
    if (known.length === 0) return { rows: [], due: [], done: null, more: true };
    const rows = await this.rows({ _id: { $in: [...known] } }, session, MOST_LEFT);
    const due = rows.filter((row) => this.isDue(row) && row._id < before).slice(0, BATCH_SIZE);
    const went = new Set(due.map(({ _id }) => _id));
    const layersLeft = rows.flatMap((row) => (went.has(row._id) || row.layersErasedAt ? [] : row._id));
    return { rows: [], due, done: layersLeft.length < known.length ? { layersLeft } : null, more: true };
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
    const layers = due.reduce((sum, { results }) => sum + results, 0);
    await states.count(session, company, 'play_layers', layers);
    return layers;
  }

  private isDue({ state, completedAt, layersErasedAt, results, laneTurn, laneStops }: Row): boolean {
    // a retry needs what the layers have done
    if (laneTurn && laneStops) return false;
    return results > 0 && !layersErasedAt && isFinal(state) && completedAt !== undefined && completedAt < this.cutoff();
  }

  private isEarly(row: Row): boolean {
    return !row.layersErasedAt && !this.isDue(row) && !(isFinal(row.state) && row.results === 0);
  }

  /** The oldest play of those whose layers are among the newest; null when no layers are older. */
  private async oldestThatStays(state: RetentionStateDocument | null): Promise<string | null> {
    const { companyId: company_id } = this.context.company;
    const upTo = lastIdAt(Math.max(0, this.cutoff().getTime()));
    const doneTo = state?.layersDoneTo ?? '';
    const isAnyNew = await this.collectionOfPlays().findOne(
      { company_id, _id: { $gt: doneTo, $lte: upTo } },
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
