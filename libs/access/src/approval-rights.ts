/** Decides who may decide an approval that a play waits for. */
import type { PlayTrigger } from '@weft/contracts';
import { mayOnFlow, type FlowCaller, type FlowUnderAccess, type PlayUnderAccess } from './flow-rights.js';
import type { Principal } from './principal.js';

export interface PlayUnderApproval extends PlayUnderAccess {
  readonly trigger: PlayTrigger;
}

export type Decider = FlowCaller & Pick<Principal, 'groupIds' | 'auth' | 'scopes' | 'mcp'>;

/**
 * The users and groups that the approval names; those who may edit the flow when it names nobody; admins always, so that a play
 * does not wait forever for somebody who has left. All of them need the right to read the flow. An agent decides only what
 * `mayAgentDecide` allows besides.
 */
export function mayDecideApproval(
  caller: Decider,
  approvers: readonly string[],
  play: PlayUnderApproval,
  flow: FlowUnderAccess,
  grantPermissions: readonly string[],
): boolean {
  if (!mayOnFlow(caller, 'read', flow, grantPermissions)) return false;
  if (isAgent(caller) && !mayAgentDecide(caller, play)) return false;
  if (caller.role === 'admin') return true;
  if (approvers.length === 0) return mayOnFlow(caller, 'edit', flow, grantPermissions);
  return approvers.includes(caller.userId) || caller.groupIds.some((groupId) => approvers.includes(groupId));
}

/** Whether the key of an agent decides any approvals. */
export function decidesApprovals({ mcp }: Pick<Principal, 'mcp'>): boolean {
  return mcp?.decide_approvals === true;
}

/** Whether a caller acts with the key of an agent, whatever other scopes it has. */
export function isAgent({ auth, scopes }: Pick<Principal, 'auth' | 'scopes'>): boolean {
  return auth === 'api_key' && scopes.includes('mcp');
}

/** An approval would be worth nothing if one prompt could both start what needs it and give it. */
function mayAgentDecide(caller: Decider, { trigger, triggeredBy }: PlayUnderApproval): boolean {
  const starters = caller.scopes.every((scope) => scope === 'mcp') ? OF_AGENTS : OF_AGENTS_WITH_THE_API;
  const mayBeItsOwn = triggeredBy === caller.userId && starters.has(trigger);
  return decidesApprovals(caller) && !mayBeItsOwn;
}

/** How agents start plays in the name of their user: by a tool, by a retry, and by a flow that they run. */
const OF_AGENTS: ReadonlySet<PlayTrigger> = new Set(['mcp', 'retry', 'rerun', 'flow']);
/** Over the HTTP API also by a schedule that they run, and by a schedule or a trigger that they make. */
const OF_AGENTS_WITH_THE_API: ReadonlySet<PlayTrigger> = new Set([...OF_AGENTS, 'schedule', 'hook']);
