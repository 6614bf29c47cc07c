import { FINAL_STATES } from '@weft/contracts';
import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { PLAYS } from './play.schema.js';

/** An ended play whose parent has not been notified yet. */
export type EndedChild = Pick<Play, '_id' | 'company_id' | 'flowId' | 'state' | 'parentPlayId' | 'parent'>;

/** What a play keeps until it has ended, a place of a limited flow and the turn of a lane, and which parent waits for it. */
export type ParentPlay = Pick<
  Play,
  '_id' | 'flowId' | 'limited' | 'lane' | 'parentPending' | 'loopPending' | 'parentPlayId'
>;

const PARENT = { flowId: 1, limited: 1, lane: 1, parentPending: 1, loopPending: 1, parentPlayId: 1 } as const;
const ENDED_CHILD = { company_id: 1, flowId: 1, state: 1, parentPlayId: 1, parent: 1 } as const;

/** Plays that layers of other plays have started. */
export class ChildPlaysRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /** The play of this flow that this layer has started, or this item of its loop. Indexes `children`, `loop_child`. */
  async childOf(
    scope: TenantScope,
    flowId: string,
    parentPlayId: string,
    layer: number,
    item?: number,
  ): Promise<Play | null> {
    const place = item === undefined ? { 'parent.layer': layer } : { 'parent.loop': layer, 'parent.item': item };
    const filter = { company_id: scope.companyId, flowId, parentPlayId, ...place };
    return this.plays.findOne(filter as mongo.Filter<Play>);
  }

  /** Which play this one retries; null when it retries none, or is not stored any more. */
  async retried(scope: TenantScope, playId: string): Promise<string | null> {
    const filter = { _id: playId, company_id: scope.companyId } as mongo.Filter<Play>;
    return (await this.plays.findOne<Pick<Play, 'retryOf'>>(filter, { projection: { retryOf: 1 } }))?.retryOf ?? null;
  }

  /** The newest retry of a play, without those that layers make when a parent is retried. Index `retries`. */
  async retryByUser({ companyId }: TenantScope, playId: string): Promise<Play | null> {
    const byUser = { trigger: { $ne: 'rerun' }, parentPlayId: { $exists: false } } as const;
    const filter = { company_id: companyId, retryOf: playId, ...byUser } as mongo.Filter<Play>;
    return this.plays.findOne(filter, { sort: { _id: -1 } });
  }

  /** A play of the company as what it started sees it. */
  async parent(scope: TenantScope, playId: string): Promise<ParentPlay | null> {
    const filter = { _id: playId, company_id: scope.companyId } as mongo.Filter<Play>;
    return this.plays.findOne<ParentPlay>(filter, { projection: PARENT });
  }

  /** Whether the play that started this one may still ask for it: it has not ended, and has no result of the layer that started it. */
  async isNeededByParent(scope: TenantScope, { parentPlayId, parent }: Pick<Play, 'parentPlayId' | 'parent'>) {
    if (parentPlayId === undefined) return false;
    const position = parent?.layer ?? parent?.loop;
    const isOpen = { _id: parentPlayId, company_id: scope.companyId, state: { $nin: [...FINAL_STATES] } };
    const filter = { ...isOpen, ...(position !== undefined && { 'layers.position': { $ne: position } }) };
    return (await this.plays.findOne(filter as mongo.Filter<Play>, { projection: { _id: 1 } })) !== null;
  }

  /** Ended plays whose parents wait for them and were not notified, without these; the longest ended first. Index `parent_pending`. */
  async withParentPending(_scope: SystemScope, limit: number, except: readonly string[] = []): Promise<EndedChild[]> {
    const others = except.length === 0 ? {} : { _id: { $nin: [...except] } };
    return this.plays
      .find<EndedChild>({ parentPending: true, completedAt: { $exists: true }, ...others } as mongo.Filter<Play>, {
        projection: ENDED_CHILD,
      })
      .sort({ completedAt: 1 })
      .limit(limit)
      .toArray();
  }

  /** The parent was notified, or does not need to be any more. */
  async markParentNotified(_scope: SystemScope, { _id, company_id, flowId }: EndedChild): Promise<void> {
    await this.plays.updateOne({ _id, company_id, flowId }, { $unset: { parentPending: 1 } });
  }
}
