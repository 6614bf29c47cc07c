import { FINAL_STATES } from '@weft/contracts';
import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import type { TenantScope } from '../../scope.js';
import { CHILDREN, PLAYS } from '../play.schema.js';
import { byTurn, inQueue, orderIn } from './queues.js';
import { ANSWER_SIZES, eachWait } from '../wait-fields.js';

/** What says what a play waits for: nothing that can be large. Its inbox has the size of each answer. */
export type WaitLink = Pick<Play, '_id' | keyof typeof LINK | 'waits' | 'inbox'>;

/** A play that may hold another one up. */
export type Blocker = Pick<Play, '_id' | 'state' | 'turns'>;

/** Of those that hold up a play. */
const MOST_BLOCKERS = 20;

const BLOCKER = { state: 1, turns: 1 } as const;
const LINK = {
  ...{ flowId: 1, triggeredBy: 1, state: 1, dueAt: 1, chain: 1 },
  ...{ ready: 1, lane: 1, limitKey: 1, queues: 1, turns: 1 },
} as const;
const PROJECTION = {
  ...LINK,
  waits: eachWait(['position', 'ref', 'kind', 'until', 'since', 'children']),
  inbox: ANSWER_SIZES,
} as const;

/** Who waits for whom, one play after the other. */
export class WaitChainRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  find({ companyId }: TenantScope, playId: string): Promise<WaitLink | null> {
    return this.plays.findOne<WaitLink>({ _id: playId, company_id: companyId }, { projection: PROJECTION });
  }

  /** Of those that have the turns of a queue, some; one that has ended has stopped its lane. Index `turns`. */
  async holdersOf({ companyId }: TenantScope, queue: string): Promise<Blocker[]> {
    const options = { projection: BLOCKER, limit: MOST_BLOCKERS };
    return this.plays.find<Blocker>(byTurn({ companyId, queue }), options).toArray();
  }

  /** Who waits first in a queue: for something else, if the turn of the queue is free. Index `queues`. */
  async firstIn({ companyId }: TenantScope, queue: string): Promise<Blocker | null> {
    return this.plays.findOne<Blocker>(inQueue({ companyId, queue }), { projection: BLOCKER, sort: orderIn(queue) });
  }

  /** Of the plays that a layer has started, some that are open. Index `children`. */
  startedBy(
    { companyId }: TenantScope,
    { _id, chain }: Pick<Play, '_id' | 'chain'>,
    layer: number,
  ): Promise<Blocker[]> {
    const of = { company_id: companyId, 'parent.first': chain?.first ?? _id, 'parent.layer': layer, parentPlayId: _id };
    const open = { ...of, parentPending: true, state: { $nin: [...FINAL_STATES] } } as mongo.Filter<Play>;
    return this.plays.find<Blocker>(open, { projection: BLOCKER, limit: MOST_BLOCKERS, hint: CHILDREN }).toArray();
  }
}
