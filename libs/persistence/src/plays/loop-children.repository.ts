import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { LOOP_PENDING, PLAYS } from './play.schema.js';

/** A loop of a play whose items start plays. */
export interface LoopKey {
  readonly companyId: string;
  readonly flowId: string;
  readonly playId: string;
  readonly position: number;
}

/** A loop that has not stored some ends, and how many. */
export interface LoopWithEnds extends LoopKey {
  readonly ended: number;
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

  /** Loops with ends that they have not stored, after this one in the order of the index `loop_pending`. */
  async withEnds(_scope: SystemScope, after: LoopKey | null, limit: number): Promise<LoopWithEnds[]> {
    const later = after && {
      $or: [
        { company_id: { $gt: after.companyId } },
        { company_id: after.companyId, parentPlayId: { $gt: after.playId } },
        { company_id: after.companyId, parentPlayId: after.playId, 'parent.loop': { $gt: after.position } },
      ],
    };
    return this.plays
      .aggregate<LoopWithEnds>(
        [
          { $match: { ...ENDED, ...later } },
          {
            $group: {
              _id: { company: '$company_id', play: '$parentPlayId', loop: '$parent.loop' },
              flowId: { $first: '$parent.flowId' },
              ended: { $sum: 1 },
            },
          },
          { $sort: { _id: 1 } },
          { $limit: limit },
          {
            $project: {
              ...{ _id: 0, companyId: '$_id.company', playId: '$_id.play', position: '$_id.loop', flowId: 1, ended: 1 },
            },
          },
        ],
        // without a condition on its first field MongoDB would read all plays instead
        { hint: LOOP_PENDING },
      )
      .toArray();
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
