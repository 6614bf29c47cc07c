import { isFinal, type PlayJob } from '@weft/contracts';
import type { OpenPlay, Play, PlayWrite } from '@weft/engine';
import mongoose, { type ClientSession, type mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput } from '../audit/record-audit.js';
import { MAJORITY, type Mongo, type SnapshotRead } from '../driver/mongo.js';
import { countWithin } from '../driver/paging.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { OPEN_FIELDS } from './open-plays.repository.js';
import { playKeyOf } from './play-keys.js';
import { CHAIN, LANE_QUEUE, PLAYS } from './play.schema.js';
import { MARKED, playFilter, playUpdate } from './play-update.js';
import { comesAfter, type Reached } from './queue-order.js';

export interface LaneKey {
  readonly companyId: string;
  readonly lane: string;
}

/** The play that has the turn of a lane. */
export type TurnHolder = OpenPlay & Pick<Play, 'laneStops' | 'chain'>;

/** The same with what people are shown of it. */
export type ShownHolder = TurnHolder & Pick<Play, 'error' | 'createdAt' | 'completedAt' | 'triggeredBy'>;

/** A play that waits for its turn. */
export type LaneWaiter = Pick<Play, '_id' | 'flowId' | 'createdAt' | 'triggeredBy' | 'retryOf'>;

const HOLDER_FIELDS = { ...OPEN_FIELDS, laneStops: 1, 'chain.first': 1, 'chain.nth': 1 } as const;
const SHOWN_FIELDS = { ...HOLDER_FIELDS, error: 1, createdAt: 1, completedAt: 1, triggeredBy: 1 } as const;
const WAITER_FIELDS = { flowId: 1, createdAt: 1, triggeredBy: 1, retryOf: 1 } as const;
const BY_ORDER = { laneOrder: 1, _id: 1 } as const;
const DUPLICATE_KEY = 11_000;

/**
 * Lanes as their plays store them (ADR 98). A unique index gives the turn to one play of a lane at most; the play's end takes it
 * away in the same write, unless it FAILs.
 */
export class LaneRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(
    private readonly mongo: Mongo,
    readonly scope: SystemScope,
  ) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /** Who has the turn; a play that has ended may still have it. Index `lane_turn`. */
  holder(key: LaneKey): Promise<TurnHolder | null> {
    return holderOf<TurnHolder>(this.plays, key, { projection: HOLDER_FIELDS });
  }

  /** Of these lanes, those whose turn no open play has: only they can go on. One round trip. Index `lane_turn`. */
  async withoutOpenHolder(lanes: readonly LaneKey[]): Promise<LaneKey[]> {
    if (lanes.length === 0) return [];
    const turns = [...Map.groupBy(lanes, ({ companyId }) => companyId)].map(([company_id, of]) => ({
      company_id,
      lane: { $in: of.map(({ lane }) => lane) },
      laneTurn: true as const,
    }));
    const holders = await this.plays
      .find<Pick<Play, 'company_id' | 'lane' | 'state'>>(
        { $or: turns },
        { projection: { _id: 0, company_id: 1, lane: 1, state: 1 }, batchSize: lanes.length + 1 },
      )
      .toArray();
    const nameOf = (companyId: string, lane?: string): string => JSON.stringify([companyId, lane]);
    const held = new Set(
      holders.flatMap(({ company_id, lane, state }) => (isFinal(state) ? [] : nameOf(company_id, lane))),
    );
    return lanes.filter(({ companyId, lane }) => !held.has(nameOf(companyId, lane)));
  }

  /** Whose turn is next: the first play that waits, of those that nobody holds. Index `lane_waiting`. */
  next({ companyId, lane }: LaneKey): Promise<OpenPlay | null> {
    return this.plays.findOne<OpenPlay>(
      { company_id: companyId, lane, laneQueued: true, state: 'DEFERRED' },
      { projection: OPEN_FIELDS, sort: BY_ORDER },
    );
  }

  /** The retry of a play that waits for its turn, also one that the retry of its parent has made. Index `chain`. */
  waitingRetryOf({ companyId, lane }: LaneKey, { _id, chain }: Pick<Play, '_id' | 'chain'>): Promise<OpenPlay | null> {
    const place = { 'chain.first': chain?.first ?? _id, 'chain.nth': (chain?.nth ?? 0) + 1 };
    return this.plays.findOne<OpenPlay>(
      { company_id: companyId, ...place, lane, laneQueued: true, state: 'DEFERRED' } as mongo.Filter<Play>,
      { projection: OPEN_FIELDS, hint: CHAIN },
    );
  }

  /** Takes the turn away from a play that has ended; it never comes back to it. False: the play has no turn any more. */
  async free(ended: TurnHolder, session?: ClientSession): Promise<boolean> {
    const { playId, companyId, flowId } = playKeyOf(ended);
    const { matchedCount } = await this.plays.updateOne(
      { _id: playId, company_id: companyId, flowId, laneTurn: true, state: ended.state },
      { $unset: { laneTurn: 1 } },
      session ? { session } : { writeConcern: MAJORITY },
    );
    return matchedCount === 1;
  }

  /** The same with an audit entry: both or none. */
  freeAudited(ended: TurnHolder, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      if (!(await this.free(ended, session))) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /**
   * Passes the turn from a failed play to its retry: no other play has it in between.
   *
   * @returns null when one of them has changed
   */
  passOn(failed: TurnHolder, retry: OpenPlay, write: PlayWrite): Promise<PlayJob | null> {
    return this.mongo.transaction(async (session) => {
      if (!(await this.free(failed, session))) return null;
      const key = playKeyOf(retry);
      const { matchedCount } = await this.plays.updateOne(playFilter(key, write), playUpdate(write, MARKED), {
        session,
      });
      if (matchedCount === 0) {
        await session.abortTransaction();
        return null;
      }
      return { ...key, epoch: write.set.epoch ?? retry.epoch };
    });
  }

  /** The next lane, in order of company and name, in which plays wait. Index `lane_waiting`. */
  async nextWithQueue(reached: Reached<LaneKey>): Promise<LaneKey | null> {
    const lane = reached && 'lane' in reached ? [['lane', reached.lane] as const] : [];
    const later = reached && comesAfter(['company_id', reached.companyId], ...lane);
    const found = await this.plays.findOne({ laneQueued: true, ...later } as mongo.Filter<Play>, {
      projection: { company_id: 1, lane: 1 },
      sort: { company_id: 1, lane: 1 },
      hint: LANE_QUEUE,
    });
    return found?.lane === undefined ? null : { companyId: found.company_id, lane: found.lane };
  }

  /** How many plays of a company wait for their turn in a lane, counted up to `most`. Index `lane_waiting`. */
  countWaiting(companyId: string, most: number): Promise<number> {
    return this.plays.countDocuments({ company_id: companyId, laneQueued: true }, { limit: most, hint: LANE_QUEUE });
  }
}

/** A lane at one point in time. */
export interface LaneNow {
  /** Also if it has ended. */
  readonly holder: ShownHolder | null;
  /** How many wait, up to one more than `TOTAL_CAP`; null: counting takes too long. */
  readonly waiting: number | null;
  /** The first ones of them, in order; those on hold, which are passed over, are not among them. */
  readonly next: readonly LaneWaiter[];
}

/** Lanes of a company, for people. */
export class LaneReads {
  private readonly plays: mongo.Collection<Play>;

  constructor(private readonly mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /**
   * A play that gets its turn meanwhile is either waiting or has the turn. Indexes `lane_turn`, `lane_waiting`.
   *
   * @param limit of `next`
   */
  now({ companyId }: TenantScope, lane: string, limit: number): Promise<LaneNow> {
    const waits = { company_id: companyId, lane, laneQueued: true, state: 'DEFERRED' } as const;
    return this.mongo.snapshot(async (at) => {
      // the first read decides the point in time
      const holder = await holderOf<ShownHolder>(
        this.plays,
        { companyId, lane },
        { projection: SHOWN_FIELDS, ...at() },
      );
      const next = this.plays.find<LaneWaiter>(waits, { projection: WAITER_FIELDS, sort: BY_ORDER, limit, ...at() });
      const [waiting, first] = await Promise.all([countWithin<Play>(this.plays, waits, { at: at() }), next.toArray()]);
      return { holder, waiting, next: first };
    });
  }

  /** Who has the turn, also if it has ended. Index `lane_turn`. */
  holder({ companyId }: TenantScope, lane: string): Promise<ShownHolder | null> {
    return holderOf<ShownHolder>(this.plays, { companyId, lane }, { projection: SHOWN_FIELDS });
  }

  /**
   * The flows whose plays are in the lane. Indexes `lane_turn`, `lane_waiting`.
   *
   * @param most of the plays that wait: no more are looked at
   */
  async flowsIn(scope: TenantScope, lane: string, most: number): Promise<string[]> {
    const waits = { company_id: scope.companyId, lane, laneQueued: true, state: 'DEFERRED' } as const;
    const options = { projection: { flowId: 1 }, sort: BY_ORDER, limit: most };
    // in this order: a play that gets its turn meanwhile is seen as one or the other
    const waiting = await this.plays.find<Pick<Play, 'flowId'>>(waits, options).toArray();
    const holder = await this.holder(scope, lane);
    return [...new Set([...(holder ? [holder] : []), ...waiting].map(({ flowId }) => flowId))];
  }

  /** How many come before a play that waits. Index `lane_waiting`. */
  async ahead({ companyId }: TenantScope, { _id, lane = '' }: Pick<Play, '_id' | 'lane'>): Promise<number | null> {
    const play = await this.plays.findOne({ _id, company_id: companyId }, { projection: { laneOrder: 1 } });
    const before = { company_id: companyId, lane, laneQueued: true, state: 'DEFERRED' } as const;
    return countWithin<Play>(this.plays, { ...before, laneOrder: { $lt: play?.laneOrder } });
  }
}

/** Which play has the turn of a lane, as much of it as the projection gives; it may have ended. Index `lane_turn`. */
export function holderOf<Holder>(
  plays: mongo.Collection<Play>,
  { companyId, lane }: LaneKey,
  options: mongo.FindOptions & Partial<SnapshotRead>,
): Promise<Holder | null> {
  return plays.findOne({ company_id: companyId, lane, laneTurn: true }, options) as Promise<Holder | null>;
}

/**
 * As they are inserted: an empty timestamp becomes the time of MongoDB's cluster, which grows with each insert, over all processes
 * and over a failover (ADR 98).
 */
export function withLaneOrder(plays: readonly Play[]): readonly Play[] {
  if (plays.every(({ lane }) => lane === undefined)) return plays;
  return plays.map((play) =>
    play.lane === undefined || play.laneOrder
      ? play
      : { ...play, laneOrder: new mongoose.mongo.Timestamp({ t: 0, i: 0 }) },
  );
}

/** Another play of the lane has the turn. */
export function isTurnTaken(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === DUPLICATE_KEY;
}
