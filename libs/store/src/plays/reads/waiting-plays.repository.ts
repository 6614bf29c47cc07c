import type { CommandTarget, LayerResult, Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import { findPage } from '../../driver/find-page.js';
import { TOTAL_CAP } from '../../driver/paging.js';
import type { TenantScope } from '../../scope.js';
import { IS_PARKED, PLAYS } from '../play.schema.js';
import { ANSWER_SIZES, eachWait } from '../wait-fields.js';

export interface WaitingFilter {
  /** Entries of `waitsFor`; one of them is enough. */
  readonly waitsFor: readonly string[];
  /** Without plays on hold. */
  readonly isNotHeld?: boolean;
}

/** What answers need of a play; `inbox` has the size of each answer in its stead, and of approvals only that they are waited for. */
export type WaitingPlay = Pick<Play, '_id' | 'company_id' | 'flowId'> &
  CommandTarget & { readonly layers: readonly Pick<LayerResult, 'position'>[] };

export interface WaitingPage {
  readonly plays: readonly WaitingPlay[];
  /** The id of the last one that was read; null: there are no more. */
  readonly next: string | null;
}

const FIELDS = ['company_id', 'flowId', 'state', 'held', 'epoch', 'seq', 'cursor', 'owner', 'heldAt'] as const;
const PROJECTION = {
  ...Object.fromEntries(FIELDS.map((field) => [field, 1])),
  waits: eachWait(['position', 'kind', 'since', 'until', 'event', 'destination']),
  'layers.position': 1,
  inbox: ANSWER_SIZES,
};

/** Plays that wait for something from outside. */
export class WaitingPlaysRepository {
  constructor(private readonly mongo: Mongo) {}

  /** In order of id, from after `after` on, at most this many, and no more than memory should hold. Index `waits_for`. */
  async find(scope: TenantScope, filter: WaitingFilter, after: string, limit: number): Promise<WaitingPage> {
    const { waitsFor, isNotHeld = false } = filter;
    const query = {
      company_id: scope.companyId,
      waitsFor: { $in: [...waitsFor] },
      ...(isNotHeld && IS_PARKED),
      _id: { $gt: after },
    } as mongo.Filter<Play>;
    const options = { projection: PROJECTION, sort: { _id: 1 }, limit } as const;
    const { docs, hasMore } = await findPage<Play>(this.mongo.collection<Play>(PLAYS), query, options);
    return { plays: docs, next: hasMore ? (docs.at(-1)?._id ?? null) : null };
  }

  /** Null: the company does not have it. */
  async one({ companyId }: TenantScope, playId: string): Promise<WaitingPlay | null> {
    const ofCompany = { _id: playId, company_id: companyId } as mongo.Filter<Play>;
    return this.mongo.collection<Play>(PLAYS).findOne<WaitingPlay>(ofCompany, { projection: PROJECTION });
  }

  /** Whether any waits for this whose time has not come yet: nobody has released it, and nobody holds it. */
  async isAnyParked({ companyId }: TenantScope, topic: string, now: Date): Promise<boolean> {
    const parked = {
      ...{ company_id: companyId, waitsFor: topic, ...IS_PARKED },
      ...{ ready: { $ne: true }, dueAt: { $gt: now } },
    } as mongo.Filter<Play>;
    const found = await this.mongo
      .collection<Play>(PLAYS)
      .findOne(parked, { projection: { _id: 1 }, hint: 'waits_for' });
    return found !== null;
  }

  /** How many wait for this, up to `TOTAL_CAP`. Index `waits_for`. */
  async count({ companyId }: TenantScope, topic: string): Promise<number> {
    const waiting = { company_id: companyId, waitsFor: topic } as mongo.Filter<Play>;
    return this.mongo.collection<Play>(PLAYS).countDocuments(waiting, { limit: TOTAL_CAP, hint: 'waits_for' });
  }
}
