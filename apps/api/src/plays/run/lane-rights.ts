import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SingleFlight } from '@weft/concurrency';
import { WeftError } from '@weft/kernel';
import { LaneReads, Mongo, TenantScope } from '@weft/store';
import { FlowRepository, type FlowHead } from '@weft/records';
import { mayComputeLane, PlayAcceptance, type RunnableFlow } from '@weft/runs';
import { FlowRights } from '../../flows/flow-rights.js';

/** Of the plays that wait in a lane: more are not looked at. */
const LOOKED_AT = 50;

interface LaneOrder {
  readonly lane: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Which lanes a run may name. A play in a lane holds up those after it, of whatever flows they are. */
@Injectable()
export class LaneRights {
  private readonly lanes: LaneReads;
  private readonly reads = new SingleFlight<string, readonly FlowHead[]>();

  constructor(
    mongo: Mongo,
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
    private readonly acceptance: PlayAcceptance,
  ) {
    this.lanes = new LaneReads(mongo);
  }

  /**
   * A lane that other flows use is open to callers who may execute all of these, and to runs whose own flow computes it.
   *
   * @throws WeftError `lane_denied`
   */
  async assertMayJoin(caller: Principal, flow: RunnableFlow, order: LaneOrder): Promise<void> {
    const scope = new TenantScope(caller.companyId);
    const users = await this.reads.run(`${scope.companyId}:${order.lane}`, () => this.usersOf(scope, order.lane));
    for (const user of users) {
      if (user._id === flow.id || (await this.rights.mayShareLaneOf(caller, user))) continue;
      if (await this.computes(flow, order)) return;
      throw new WeftError(
        'lane_denied',
        `Flows that you may not execute use the lane "${order.lane}": name another one.`,
      );
    }
  }

  /** The flows whose settings may give the lane, and those of the plays in it. */
  private async usersOf(scope: TenantScope, lane: string): Promise<readonly FlowHead[]> {
    const [withLanes, inLane] = await Promise.all([
      this.flows.listWithLane(scope),
      this.lanes.flowsIn(scope, lane, LOOKED_AT),
    ]);
    const named = withLanes.filter(({ settings }) => mayComputeLane(settings.lane, lane));
    const known = new Set(named.map(({ _id }) => _id));
    return [
      ...named,
      ...(await this.flows.findHeads(
        scope,
        inLane.filter((id) => !known.has(id)),
      )),
    ];
  }

  private async computes(flow: RunnableFlow, { lane, args }: LaneOrder): Promise<boolean> {
    try {
      return (await this.acceptance.laneOf(flow, { args })) === lane;
    } catch (error) {
      if (error instanceof WeftError && error.code === 'invalid_lane') return false;
      throw error;
    }
  }
}
