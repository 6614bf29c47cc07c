import { chainOf, type RetriedPlay, type ParentLayer, type Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import type { SystemScope, TenantScope } from '../../scope.js';
import { childIndex, DUE_OR_PENDING, PLAYS } from '../play.schema.js';
import { TO_RETRY } from '../wait-fields.js';

/** An ended play whose parent has not been notified yet. */
export type EndedChild = Pick<Play, '_id' | 'company_id' | 'flowId' | 'state' | 'parentPlayId' | 'parent'>;

/** A play that a layer has started, with nothing that can be large. */
export type StartedPlay = Pick<Play, '_id' | keyof typeof STARTED>;

/** Which turns a play needs, and has until it has ended; and which parent waits for it. */
export type ParentPlay = Pick<Play, '_id' | keyof typeof PARENT>;

/** A layer that starts a play, or an item of its loop. */
export type LayerPlace = Pick<ParentLayer, 'layer' | 'loop' | 'item'>;

const PARENT = {
  ...{ flowId: 1, lane: 1, limitKey: 1 },
  ...{ parentPending: 1, loopPending: 1, parentPlayId: 1 },
} as const;
const STARTED = {
  ...{ company_id: 1, flowId: 1, version: 1, state: 1, createdAt: 1, chain: 1 },
  ...{ lane: 1, parentPlayId: 1 },
} as const;
const ENDED_CHILD = { company_id: 1, flowId: 1, state: 1, parentPlayId: 1, parent: 1 } as const;

/** Plays that layers of other plays have started. */
export class ChildPlaysRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /**
   * The play of this flow that this layer of the play has started, or this item of its loop; else the one that it has started in the
   * nearest play before it in its chain of retries. Indexes `children`, `loop_child`.
   */
  async childOf(
    { companyId }: TenantScope,
    flowId: string,
    parent: Pick<Play, '_id' | 'createdAt' | 'chain'>,
    place: LayerPlace,
  ): Promise<StartedPlay | null> {
    const { first, nth } = chainOf(parent);
    const layer = Object.fromEntries(Object.entries(place).map(([name, value]) => [`parent.${name}`, value]));
    const filter = { company_id: companyId, flowId, 'parent.first': first, ...layer, 'parent.nth': { $lte: nth } };
    const latest = { 'parent.nth': -1, parentPlayId: -1 } as const;
    const options = { projection: STARTED, sort: latest, hint: childIndex(place) };
    return this.plays.findOne<StartedPlay>(filter as mongo.Filter<Play>, options);
  }

  async find({ companyId }: TenantScope, playId: string): Promise<StartedPlay | null> {
    return this.plays.findOne<StartedPlay>({ _id: playId, company_id: companyId }, { projection: STARTED });
  }

  async toRetry({ companyId }: TenantScope, playId: string): Promise<RetriedPlay | null> {
    return this.plays.findOne<RetriedPlay>({ _id: playId, company_id: companyId }, { projection: TO_RETRY });
  }

  /** A play of the company as what it started sees it. */
  async parent(scope: TenantScope, playId: string): Promise<ParentPlay | null> {
    const filter = { _id: playId, company_id: scope.companyId } as mongo.Filter<Play>;
    return this.plays.findOne<ParentPlay>(filter, { projection: PARENT });
  }

  /** Ended plays whose parents wait for them and were not notified, without these; the longest ended first. Index `due_or_pending`. */
  async withParentPending(_scope: SystemScope, limit: number, except: readonly string[] = []): Promise<EndedChild[]> {
    const others = except.length === 0 ? {} : { _id: { $nin: [...except] } };
    const pending = { dueAt: null, parentPending: true, completedAt: { $exists: true } } as object;
    return this.plays
      .find<EndedChild>({ ...pending, ...others }, { projection: ENDED_CHILD, hint: DUE_OR_PENDING })
      .sort({ completedAt: 1 })
      .limit(limit)
      .toArray();
  }

  /** The parent was notified, or does not need to be any more. */
  async markParentNotified(_scope: SystemScope, { _id, company_id, flowId }: EndedChild): Promise<void> {
    await this.plays.updateOne({ _id, company_id, flowId }, { $unset: { parentPending: 1 } });
  }
}
