import {
  findStuckChildren,
  type Play,
  type QueueKey,
  type SearchedPlay,
  type StuckChild,
  type WaitReads,
} from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo, SnapshotRead } from '../driver/mongo.js';
import type { SystemScope } from '../scope.js';
import { limitOf } from './flow-gate.repository.js';
import { FLOW_GATES, type FlowGateDocument } from './flow-gate.schema.js';
import { holderOf } from './lane.repository.js';
import { OPEN_FIELDS } from './open-plays.repository.js';
import { PLAYS } from './play.schema.js';
import { eachWait } from './wait-fields.js';

/** A play may store megabytes of waits: texts for approvers, names of events. The search needs none of them. */
const SEARCHED_FIELDS = {
  ...OPEN_FIELDS,
  waits: eachWait(['position', 'kind', 'until', 'play', 'children']),
} as const;

/** Looks for plays that wait for each other, as they are at one point in time: what it finds never changes by itself. */
export class WaitCirclesRepository {
  private readonly plays: mongo.Collection<Play>;
  private readonly gates: mongo.Collection<FlowGateDocument>;

  constructor(private readonly mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
    this.gates = mongo.collection<FlowGateDocument>(FLOW_GATES);
  }

  /**
   * See `findStuckChildren`. Indexes `lane_turn`, `loop_children` and those over ids.
   *
   * @param companyId of the queue; plays of other companies are never read
   * @param mostAdmitted how many plays of one flow are admitted at once, whatever the flow's limit
   * @param goesOn called for each queue from which nothing is to be found now
   */
  stuckChildren(
    _scope: SystemScope,
    companyId: string,
    queue: QueueKey,
    mostAdmitted: number,
    goesOn?: (queue: QueueKey) => void,
  ): Promise<readonly StuckChild[]> {
    return this.mongo.snapshot((at) => findStuckChildren(queue, this.readsOf(companyId, mostAdmitted, at, goesOn)));
  }

  private readsOf(
    companyId: string,
    mostAdmitted: number,
    at: () => SnapshotRead,
    goesOn?: (queue: QueueKey) => void,
  ): WaitReads {
    return {
      ...(goesOn && { goesOn }),
      plays: (ids) =>
        this.plays
          .find<SearchedPlay>(
            { _id: { $in: [...ids] }, company_id: companyId },
            { projection: SEARCHED_FIELDS, ...at() },
          )
          .toArray(),
      turnHolder: (lane) =>
        holderOf<Pick<Play, '_id'>>(this.plays, { companyId, lane }, { projection: { _id: 1 }, ...at() }),
      gate: async (flowId) => {
        const of = { _id: flowId, company_id: companyId };
        // one after the other: the first read decides the point in time
        const gate = await this.gates.findOne(of, { projection: { holders: 1 }, ...at() });
        const limit = await limitOf(this.mongo, { companyId, flowId }, at());
        return { holders: gate?.holders ?? [], limit: Math.min(limit ?? Infinity, mostAdmitted) };
      },
      childrenOfLoop: (playId, position, limit) => {
        // the indexes over the items of loops have only plays with an item
        const items = { 'parent.loop': position, 'parent.item': { $exists: true } };
        return this.plays
          .find<Pick<Play, '_id' | 'state'>>(
            { company_id: companyId, parentPlayId: playId, ...items, loopPending: true } as mongo.Filter<Play>,
            { projection: { state: 1 }, sort: { 'parent.item': -1 }, limit, ...at() },
          )
          .toArray();
      },
    };
  }
}
