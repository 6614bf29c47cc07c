import { findStuckChildren, type OpenPlay, type Play, type QueueKey, type StuckChild } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo, SnapshotRead } from '../driver/mongo.js';
import type { SystemScope } from '../scope.js';
import { limitOf } from './flow-gate.repository.js';
import { FLOW_GATES, type FlowGateDocument } from './flow-gate.schema.js';
import { holderOf } from './lane.repository.js';
import { OPEN_FIELDS } from './open-plays.repository.js';
import { PLAYS } from './play.schema.js';

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
   */
  stuckChildren(_scope: SystemScope, companyId: string, queue: QueueKey): Promise<readonly StuckChild[]> {
    return this.mongo.snapshot((at) => this.search(companyId, queue, at));
  }

  private search(companyId: string, queue: QueueKey, at: () => SnapshotRead): Promise<readonly StuckChild[]> {
    const open = () => ({ projection: OPEN_FIELDS, ...at() });
    return findStuckChildren(queue, {
      plays: (ids) =>
        this.plays
          .find<OpenPlay>({ _id: { $in: [...ids] }, company_id: companyId } as mongo.Filter<Play>, open())
          .toArray(),
      turnHolder: (lane) => holderOf<OpenPlay>(this.plays, { companyId, lane }, open()),
      gate: async (flowId) => {
        const of = { _id: flowId, company_id: companyId };
        // one after the other: the first read decides the point in time
        const gate = await this.gates.findOne(of, { projection: { holders: 1 }, ...at() });
        return { holders: gate?.holders ?? [], limit: await limitOf(this.mongo, { companyId, flowId }, at()) };
      },
      childrenOfLoop: (playId, position, limit) =>
        this.plays
          .find<OpenPlay>(
            { ...{ company_id: companyId, parentPlayId: playId }, 'parent.loop': position, loopPending: true },
            { ...open(), sort: { 'parent.item': -1 }, limit },
          )
          .toArray(),
    });
  }
}
