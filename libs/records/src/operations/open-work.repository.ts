import { QUEUES_OF_FLOWS, QUEUES_OF_LANES, type Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import {
  AT_STOPPED_LANE,
  DUE,
  dueUntil,
  PLAYS,
  QUEUES,
  READY,
  STOPPED_LANES,
  WAITS_FOR_ROOM,
  SystemScope,
  TenantScope,
  type Mongo,
} from '@weft/store';
import { COMPANIES, type CompanyDocument } from '../people/company.schema.js';

/** A play that is rung and has not ended. */
export type OpenWork = Pick<Play, '_id' | 'state' | 'owner' | 'heartbeatAt' | 'createdAt'>;

/** Since when a play that nobody executes could run: one that was delayed or handed back, since it could again. */
export function waitingSince({
  state,
  heartbeatAt,
  createdAt,
}: Pick<OpenWork, 'state' | 'heartbeatAt' | 'createdAt'>): Date {
  return state === 'NEW' ? createdAt : (heartbeatAt ?? createdAt);
}

/** Plays that wait for a turn of their flow, or for room. */
export interface QueuedWork {
  readonly count: number;
  /** The first one that was accepted; null when none waits. */
  readonly oldestId: string | null;
}

/** A company, and how many of its plays wait for room in its window. */
export interface WaitingCompany {
  readonly companyId: string;
  readonly name: string;
  readonly waiting: number;
  /** More wait than were counted. */
  readonly isCapped: boolean;
}

type Named = Pick<CompanyDocument, '_id' | 'name'>;

export interface LaneWork {
  /** Plays that wait for their turn. */
  readonly waiting: number;
  /** Lanes. */
  readonly stopped: number;
}

/** What is to be done now, asked for by keys and small indexes: never by a walk over plays. */
export class OpenWorkRepository {
  constructor(private readonly mongo: Mongo) {}

  /** @param ids no more than a window holds */
  async among(scope: TenantScope, ids: readonly string[]): Promise<OpenWork[]> {
    if (ids.length === 0) return [];
    return this.plays()
      .find<OpenWork>(
        { _id: { $in: [...ids] }, company_id: scope.companyId, state: { $in: ['NEW', 'RUN'] } },
        { projection: { state: 1, owner: 1, heartbeatAt: 1, createdAt: 1 }, batchSize: ids.length + 1 },
      )
      .toArray();
  }

  /** Plays that wait for a turn of their flow, counted up to `most`. Covered by index `queues`. */
  queued(scope: TenantScope | SystemScope, most: number): Promise<QueuedWork> {
    return this.count(scope, { queues: QUEUES_OF_FLOWS }, QUEUES, most);
  }

  /** NEW plays that wait for room in their company's window, counted up to `most`. Covered by index `ready`. */
  outsideWindow(scope: TenantScope | SystemScope, most: number): Promise<QueuedWork> {
    return this.count(scope, WAITS_FOR_ROOM, READY, most);
  }

  /**
   * The companies with the most plays that wait for room in their window, at most `most`; of each, plays are counted up to `counted`.
   * One step of index `ready` leads to the next company, so that what waits beyond is not read.
   */
  async waitingCompanies(_scope: SystemScope, most: number, counted: number): Promise<readonly WaitingCompany[]> {
    const found: Omit<WaitingCompany, 'name'>[] = [];
    for (let id: string | null = await this.waitingAfter(''); id !== null; id = await this.waitingAfter(id)) {
      const { count } = await this.outsideWindow(new TenantScope(id), counted + 1);
      found.push({ companyId: id, waiting: Math.min(count, counted), isCapped: count > counted });
    }
    const first = found.toSorted((one, other) => other.waiting - one.waiting).slice(0, most);
    const named = await this.mongo
      .collection<Named>(COMPANIES)
      .find({ _id: { $in: first.map(({ companyId }) => companyId) } }, { projection: { name: 1 } })
      .toArray();
    const names = new Map(named.map(({ _id, name }) => [_id, name]));
    return first.map((company) => ({ ...company, name: names.get(company.companyId) ?? '' }));
  }

  /** The first company after this one that has such plays. */
  private async waitingAfter(companyId: string): Promise<string | null> {
    const next = await this.plays().findOne(
      { company_id: { $gt: companyId }, ...WAITS_FOR_ROOM },
      { projection: { _id: 0, company_id: 1 }, sort: { company_id: 1 }, hint: READY },
    );
    return next?.company_id ?? null;
  }

  /** Plays that wait for their turn in a lane, and lanes that have stopped, each counted up to `most`. Indexes `queues`, `stopped_lanes`. */
  async lanes(_scope: SystemScope, most: number): Promise<LaneWork> {
    const waiting: mongo.Filter<Play> = { company_id: { $gt: '' }, queues: QUEUES_OF_LANES };
    const stoppedAt: mongo.Filter<Play> = { company_id: { $gt: '' }, ...AT_STOPPED_LANE };
    const [count, stopped] = await Promise.all([
      this.plays().countDocuments(waiting, { limit: most, hint: QUEUES }),
      this.plays().countDocuments(stoppedAt, { limit: most, hint: STOPPED_LANES }),
    ]);
    return { waiting: count, stopped };
  }

  /** Plays that are due and wait for room in their company's window, counted up to `most`. Covered by its index. */
  async due(scope: TenantScope | SystemScope, now: Date, most: number): Promise<number> {
    const isOfAll = scope instanceof SystemScope;
    const filter: mongo.Filter<Play> = {
      ...(!isOfAll && { company_id: scope.companyId }),
      ...dueUntil(now),
    };
    return this.plays().countDocuments(filter, { limit: most, hint: isOfAll ? DUE : 'company_due' });
  }

  /**
   * Since when the play that waits longest could run, of all companies; null when none waits. Index `silent`: those that
   * wait gave no sign of life since, those that are executed gave theirs some seconds ago.
   */
  async waitingSince(_scope: SystemScope): Promise<Date | null> {
    const first = await this.plays().findOne(
      { heartbeatAt: { $exists: true }, state: { $in: ['NEW', 'RUN'] }, owner: { $exists: false } },
      { projection: { state: 1, heartbeatAt: 1, createdAt: 1 }, sort: { heartbeatAt: 1, _id: 1 }, hint: 'silent' },
    );
    return first && waitingSince(first);
  }

  private async count(
    scope: TenantScope | SystemScope,
    filter: mongo.Filter<Play>,
    hint: string,
    most: number,
  ): Promise<QueuedWork> {
    const company_id = scope instanceof SystemScope ? { $gt: '' } : scope.companyId;
    const [found] = await this.plays()
      .aggregate<QueuedWork>(
        [
          { $match: { company_id, ...filter } },
          { $limit: most },
          { $group: { _id: null, count: { $sum: 1 }, oldestId: { $min: '$_id' } } },
        ],
        { hint },
      )
      .toArray();
    return { count: found?.count ?? 0, oldestId: found?.oldestId ?? null };
  }

  private plays(): mongo.Collection<Play> {
    return this.mongo.collection<Play>(PLAYS);
  }
}
