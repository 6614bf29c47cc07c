import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import type { SystemScope, TenantScope } from '../../scope.js';
import { LOOP_PENDING, PLAYS } from '../play.schema.js';
import { comesAfter, type Reached } from './queue-order.js';

/** A loop of a play whose items start plays. */
export interface LoopKey {
  readonly companyId: string;
  readonly flowId: string;
  readonly playId: string;
  readonly position: number;
}

/** What a loop's play says of the loop. */
export type LoopParent = Pick<Play, 'state' | 'epoch' | 'waits'> & {
  readonly layers: readonly { readonly position: number }[];
};

export interface StartedItem {
  readonly item: number;
  readonly playId: string;
  readonly state: Play['state'];
}

const ENDED = { loopPending: true, completedAt: { $exists: true } } as const;

/** The plays that the items of loops have started. */
export class LoopChildrenRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /** The started ones of a loop from this item on, in order. Index `loop_children`. */
  async startedFrom(scope: TenantScope, playId: string, loop: number, item: number, limit: number) {
    const filter = { company_id: scope.companyId, parentPlayId: playId, 'parent.loop': loop };
    const found = await this.plays
      .find({ ...filter, 'parent.item': { $gte: item } } as mongo.Filter<Play>)
      .project<Pick<Play, '_id' | 'state' | 'parent'>>({ state: 1, 'parent.item': 1 })
      .sort({ 'parent.item': 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id, state, parent }): StartedItem => ({ item: parent?.item ?? 0, playId: _id, state }));
  }

  /** The loop has stored how the plays of these items ended. */
  async markCollected(scope: TenantScope, playId: string, loop: number, items: readonly number[]): Promise<void> {
    const filter = { company_id: scope.companyId, parentPlayId: playId, 'parent.loop': loop };
    await this.plays.updateMany(
      { ...filter, 'parent.item': { $in: [...items] }, loopPending: true },
      { $unset: { loopPending: 1 } },
    );
  }

  /** The next loop with ends that it has not stored. Index `loop_pending`. */
  async nextWithEnds(_scope: SystemScope, reached: Reached<LoopKey>): Promise<LoopKey | null> {
    const loop =
      reached && 'playId' in reached
        ? ([
            ['parentPlayId', reached.playId],
            ['parent.loop', reached.position],
          ] as const)
        : [];
    const later = reached && comesAfter(['company_id', reached.companyId], ...loop);
    const found = await this.plays.findOne<Pick<Play, 'company_id' | 'parentPlayId' | 'parent'>>(
      { ...ENDED, ...later } as mongo.Filter<Play>,
      {
        projection: { company_id: 1, parentPlayId: 1, 'parent.loop': 1, 'parent.flowId': 1 },
        sort: { company_id: 1, parentPlayId: 1, 'parent.loop': 1 },
        // without a condition on its first field MongoDB would read all plays instead
        hint: LOOP_PENDING,
      },
    );
    if (!found) return null;
    const { company_id: companyId, parentPlayId: playId = '', parent } = found;
    return { companyId, flowId: parent?.flowId ?? '', playId, position: parent?.loop ?? 0 };
  }

  /** How many ends a loop has not stored, counted up to this many. */
  async countEnds(_scope: SystemScope, { companyId, playId, position }: LoopKey, limit: number): Promise<number> {
    const filter = { ...ENDED, company_id: companyId, parentPlayId: playId, 'parent.loop': position };
    return this.plays.countDocuments(filter, { limit });
  }

  /**
   * How many plays of a loop have ends that it has not stored, or have not ended, counted up to this many from the last item on.
   * Index `loop_children`.
   */
  async countUncollected(_scope: SystemScope, { companyId, playId, position }: LoopKey, limit: number) {
    const filter = { company_id: companyId, parentPlayId: playId, 'parent.loop': position, loopPending: true } as const;
    const found = await this.plays
      .find({ ...filter, 'parent.item': { $exists: true } } as mongo.Filter<Play>)
      .project({ _id: 1 })
      .sort({ 'parent.item': -1 })
      .limit(limit)
      .toArray();
    return found.length;
  }

  /** Null: the play is not stored any more. */
  async parentOf(_scope: SystemScope, { companyId, flowId, playId, position }: LoopKey): Promise<LoopParent | null> {
    const projection = { state: 1, epoch: 1, [`waits.${position}`]: 1, 'layers.position': 1 };
    const filter = { _id: playId, company_id: companyId, flowId } as mongo.Filter<Play>;
    return this.plays.findOne<LoopParent>(filter, { projection });
  }

  /** Nobody will store the ends of this loop. */
  async forget(_scope: SystemScope, { companyId, playId, position }: LoopKey): Promise<void> {
    const filter = { ...ENDED, company_id: companyId, parentPlayId: playId, 'parent.loop': position };
    await this.plays.updateMany(filter, { $unset: { loopPending: 1 } });
  }
}
