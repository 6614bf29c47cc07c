import { ReadThroughCache } from '@weft/concurrency';
import type { FactoryProvider } from '@nestjs/common';
import { grantedOnFlow, mayOnFlow, type FlowPermission } from '@weft/access';
import { GrantCache, identityOf, MemberSource, type MemberIdentity } from '@weft/identity';
import { CLOCK, type Clock } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { FlowCache, toFlowUnderAccess, type RunnableFlow } from './flow-cache.js';

/** A run that a schedule or a trigger makes, with the rights of the user who made the schedule or trigger. */
export interface ScheduledRun {
  readonly companyId: string;
  readonly flowId: string;
  readonly userId: string;
  /** What makes the run, for the reason; default: a schedule. */
  readonly maker?: 'schedule' | 'trigger';
}

/** The flow when it can be run now; otherwise the reason why not, as a sentence for users. */
export type RunEligibility =
  { readonly flow: RunnableFlow; readonly blockedReason: null } | { readonly blockedReason: string };

export interface ScheduledRunAuthorizerDeps {
  readonly flows: FlowCache;
  readonly members: Pick<MemberSource, 'findAll'>;
  readonly grants: GrantCache;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

const MAX_MEMBERS = 20_000;

/** Decides whether a schedule or a trigger may run its flow now. Flow, membership and grants are at most a second old. */
export class ScheduledRunAuthorizer {
  private readonly members: ReadThroughCache<MemberIdentity>;

  constructor(private readonly deps: ScheduledRunAuthorizerDeps) {
    this.members = new ReadThroughCache({
      ask: (keys) => this.read(keys),
      monotonicMs: () => deps.clock.monotonicMs(),
      max: MAX_MEMBERS,
    });
  }

  async eligibilityOf(run: ScheduledRun): Promise<RunEligibility> {
    const { companyId, flowId, userId, maker = 'schedule' } = run;
    const [flow, member] = await Promise.all([
      this.deps.flows.get(new TenantScope(companyId), flowId),
      this.members.get(memberKey(companyId, userId)),
    ]);
    if (!flow) return { blockedReason: 'The flow was deleted.' };
    if (flow.isBlueprint) return { blockedReason: 'The flow is a blueprint: blueprints are not run.' };
    if (!flow.enabled) return { blockedReason: 'The flow is disabled.' };
    if (flow.unpublished) return { blockedReason: 'No version of the flow is published.' };
    if (!member)
      return {
        blockedReason: `The company is stopped, or the user who made the ${maker} is not active in it any more.`,
      };
    return (await this.may(member, 'execute', flow))
      ? { flow, blockedReason: null }
      : { blockedReason: `The user who made the ${maker} may not execute the flow any more.` };
  }

  /** Whether that user may execute the flow now, also one that is disabled. */
  async mayExecute({ companyId, flowId, userId }: Omit<ScheduledRun, 'maker'>): Promise<boolean> {
    const [flow, member] = await Promise.all([
      this.deps.flows.get(new TenantScope(companyId), flowId),
      this.members.get(memberKey(companyId, userId)),
    ]);
    return flow !== null && flow !== undefined && member !== undefined && this.may(member, 'execute', flow);
  }

  /** Whether that user may read the flow's plays now, and so see how they ended. */
  async mayRead(
    { companyId, userId }: Pick<ScheduledRun, 'companyId' | 'userId'>,
    flow: RunnableFlow,
  ): Promise<boolean> {
    const member = await this.members.get(memberKey(companyId, userId));
    return member !== undefined && this.may(member, 'read', flow);
  }

  private may(member: MemberIdentity, permission: FlowPermission, flow: RunnableFlow): boolean | Promise<boolean> {
    const judged = toFlowUnderAccess(flow);
    return this.deps.grants.decide(member, (held) =>
      mayOnFlow(member, permission, judged, grantedOnFlow(held, judged)),
    );
  }

  private async read(keys: readonly string[]): Promise<ReadonlyMap<string, MemberIdentity>> {
    const members = await this.deps.members.findAll(
      keys.map((key) => {
        const [companyId = '', userId = ''] = key.split(' ');
        return { companyId, userId };
      }),
    );
    return new Map(
      keys.flatMap((key, i) => {
        const member = members[i];
        return member ? [[key, identityOf(member)] as const] : [];
      }),
    );
  }
}

function memberKey(companyId: string, userId: string): string {
  return `${companyId} ${userId}`;
}

/** For modules that import `IdentityModule`. */
export const SCHEDULED_RUN_AUTHORIZER: FactoryProvider<ScheduledRunAuthorizer> = {
  provide: ScheduledRunAuthorizer,
  inject: [FlowCache, MemberSource, GrantCache, CLOCK],
  useFactory: (flows: FlowCache, members: MemberSource, grants: GrantCache, clock: Clock) =>
    new ScheduledRunAuthorizer({ flows, members, grants, clock }),
};
