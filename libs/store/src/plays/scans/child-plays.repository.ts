import { chainOf, type RetriedPlay, type ParentLayer, type Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import type { SystemScope, TenantScope } from '../../scope.js';
import { CHILDREN, ENDED_CHILDREN, PLAYS } from '../play.schema.js';
import { TO_RETRY } from '../wait-fields.js';
import { comesAfter, type Reached } from './queue-order.js';

/** A play that a layer has started, with nothing that can be large. */
export type StartedPlay = Pick<Play, '_id' | keyof typeof STARTED>;

/** Which turns a play needs, and has until it has ended; and which parent waits for it. */
export type ParentPlay = Pick<Play, '_id' | keyof typeof PARENT>;

/** A layer that starts a play, or an item of its loop. */
export type LayerPlace = Pick<ParentLayer, 'layer' | 'item'>;

/** A layer that has started plays: one, or one for each item of its loop. */
export interface StartingLayer {
  readonly companyId: string;
  readonly flowId: string;
  readonly playId: string;
  readonly position: number;
}

/** What says whether the layer waits, and what a command asks of its play. */
export type StartingPlay = Pick<Play, '_id' | keyof typeof COMMANDED | 'waits'> & {
  readonly layers: readonly { readonly position: number }[];
};

export interface StartedItem {
  readonly item: number;
  readonly playId: string;
  readonly state: Play['state'];
}

const PARENT = { flowId: 1, lane: 1, limitKey: 1, parentPending: 1, parentPlayId: 1 } as const;
const COMMANDED = {
  ...{ company_id: 1, flowId: 1, state: 1, held: 1, heldAt: 1 },
  ...{ epoch: 1, seq: 1, cursor: 1, owner: 1 },
} as const;
const STARTED = {
  ...{ company_id: 1, flowId: 1, version: 1, state: 1, createdAt: 1, chain: 1 },
  ...{ lane: 1, parentPlayId: 1 },
} as const;
export const HAS_ENDS = { parentPending: true, completedAt: { $exists: true } } as const;

/** Plays that layers of other plays have started. */
export class ChildPlaysRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /**
   * The play of this flow that this layer of the play has started, or this item of its loop; else the one that it has started in the
   * nearest play before it in its chain of retries. Index `children`.
   */
  async childOf(
    { companyId }: TenantScope,
    flowId: string,
    parent: Pick<Play, '_id' | 'createdAt' | 'chain'>,
    { layer, item }: LayerPlace,
  ): Promise<StartedPlay | null> {
    const { first, nth } = chainOf(parent);
    const place = { 'parent.first': first, 'parent.layer': layer, 'parent.item': item ?? null };
    const filter = { company_id: companyId, ...place, 'parent.nth': { $lte: nth }, flowId };
    const latest = { 'parent.nth': -1, parentPlayId: -1 } as const;
    const options = { projection: STARTED, sort: latest, hint: CHILDREN };
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

  /** The plays that the loop of this layer has started, in the order of their items. Index `children`. */
  async startedItems(
    { companyId }: TenantScope,
    parent: Pick<Play, '_id' | 'createdAt' | 'chain'>,
    layer: number,
    limit: number,
  ): Promise<StartedItem[]> {
    const loop = { 'parent.first': chainOf(parent).first, 'parent.layer': layer, 'parent.item': { $gte: 0 } };
    const found = await this.plays
      .find({ company_id: companyId, ...loop, parentPlayId: parent._id } as mongo.Filter<Play>)
      .project<Pick<Play, '_id' | 'state' | 'parent'>>({ state: 1, 'parent.item': 1 })
      .sort({ 'parent.item': 1 })
      .hint(CHILDREN)
      .limit(limit)
      .toArray();
    return found.map(({ _id, state, parent: of }): StartedItem => ({ item: of?.item ?? 0, playId: _id, state }));
  }

  /** The loop has stored how the plays of these items ended. Index `ended_children`. */
  async markCollected(scope: TenantScope, playId: string, layer: number, items: readonly number[]): Promise<void> {
    const ended = { ...HAS_ENDS, company_id: scope.companyId, parentPlayId: playId, 'parent.layer': layer };
    await this.plays.updateMany(
      { ...ended, 'parent.item': { $in: [...items] } },
      { $unset: { parentPending: 1 } },
      { hint: ENDED_CHILDREN },
    );
  }

  /** The next layer with ends for which it still waits. Index `ended_children`. */
  async nextWithEnds(_scope: SystemScope, reached: Reached<StartingLayer>): Promise<StartingLayer | null> {
    const layer =
      reached && 'playId' in reached
        ? ([
            ['parentPlayId', reached.playId],
            ['parent.layer', reached.position],
          ] as const)
        : [];
    const later = reached && comesAfter(['company_id', reached.companyId], ...layer);
    const found = await this.plays.findOne<Pick<Play, 'company_id' | 'parentPlayId' | 'parent'>>(
      { ...HAS_ENDS, ...later } as mongo.Filter<Play>,
      {
        projection: { company_id: 1, parentPlayId: 1, 'parent.layer': 1, 'parent.flowId': 1 },
        sort: { company_id: 1, parentPlayId: 1, 'parent.layer': 1 },
        // without a condition on its first field MongoDB would read all plays instead
        hint: ENDED_CHILDREN,
      },
    );
    if (!found) return null;
    const { company_id: companyId, parentPlayId: playId = '', parent } = found;
    return { companyId, flowId: parent?.flowId ?? '', playId, position: parent?.layer ?? 0 };
  }

  /** How many plays have ended for which a layer still waits, counted up to this many; or this one. Index `ended_children`. */
  async countEnds(_scope: SystemScope, layer: StartingLayer, limit: number, only?: string): Promise<number> {
    return this.plays.countDocuments(endsOf(layer, only), { limit, hint: ENDED_CHILDREN });
  }

  /** Null: the play is not stored any more. */
  async startingPlay(
    _scope: SystemScope,
    { companyId, flowId, playId, position }: StartingLayer,
  ): Promise<StartingPlay | null> {
    const projection = { ...COMMANDED, [`waits.${position}`]: 1, 'layers.position': 1 };
    const filter = { _id: playId, company_id: companyId, flowId } as mongo.Filter<Play>;
    return this.plays.findOne<StartingPlay>(filter, { projection });
  }

  /** The layer does not wait any more for the plays that have ended by now, or for this one. Index `ended_children`. */
  async forgetEnds(_scope: SystemScope, layer: StartingLayer, only?: string): Promise<void> {
    await this.plays.updateMany(endsOf(layer, only), { $unset: { parentPending: 1 } }, { hint: ENDED_CHILDREN });
  }
}

function endsOf({ companyId, playId, position }: StartingLayer, only?: string): mongo.Filter<Play> {
  const layer = { company_id: companyId, parentPlayId: playId, 'parent.layer': position };
  return { ...HAS_ENDS, ...layer, ...(only !== undefined && { _id: only }) };
}
