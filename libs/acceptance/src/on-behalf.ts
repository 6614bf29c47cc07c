import { grantedOnFlow, mayOnFlow } from '@weft/access';
import { identityOf, type GrantCache, type MemberIdentity, type MemberSource } from '@weft/identity';
import type { Clock } from '@weft/kernel';
import { FreshReads, TenantScope } from '@weft/persistence';
import { toFlowUnderAccess, type FlowCache, type RunnableFlow } from './flow-cache.js';

/** A flow that is to run by itself, with the rights of a user who is not there. */
export interface AbsentRun {
  readonly companyId: string;
  readonly flowId: string;
  readonly userId: string;
}

/** The flow when it can be run now; else why not, in a sentence for people. */
export type Standing = { readonly flow: RunnableFlow; readonly resting: null } | { readonly resting: string };

export interface OnBehalfParts {
  readonly flows: FlowCache;
  readonly members: Pick<MemberSource, 'findAll'>;
  readonly grants: GrantCache;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

const MAX_MEMBERS = 20_000;

/** Judges runs that nobody asks for at the moment. Flow, place and grants count as they are now, at most a second old. */
export class OnBehalf {
  private readonly members: FreshReads<MemberIdentity>;

  constructor(private readonly parts: OnBehalfParts) {
    this.members = new FreshReads({
      ask: (keys) => this.read(keys),
      monotonicMs: () => parts.clock.monotonicMs(),
      max: MAX_MEMBERS,
    });
  }

  async standingOf({ companyId, flowId, userId }: AbsentRun): Promise<Standing> {
    const [flow, member] = await Promise.all([
      this.parts.flows.get(new TenantScope(companyId), flowId),
      this.members.get(keyOf(companyId, userId)),
    ]);
    if (!flow) return { resting: 'The flow was deleted.' };
    if (flow.isBlueprint) return { resting: 'The flow is a blueprint: blueprints are not run.' };
    if (!flow.enabled) return { resting: 'The flow is disabled.' };
    if (!member) return { resting: 'The user who made the schedule is not active in the company any more.' };
    const may = await this.parts.grants.decide(member, (held) =>
      mayOnFlow(member, 'execute', toFlowUnderAccess(flow), grantedOnFlow(held, toFlowUnderAccess(flow))),
    );
    return may
      ? { flow, resting: null }
      : { resting: 'The user who made the schedule may not execute the flow any more.' };
  }

  private async read(keys: readonly string[]): Promise<ReadonlyMap<string, MemberIdentity>> {
    const members = await this.parts.members.findAll(
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

function keyOf(companyId: string, userId: string): string {
  return `${companyId} ${userId}`;
}
