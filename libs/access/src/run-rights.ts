/** Decides what a run may ask for besides its flow: docs/access.md. The caller may execute the flow. */
import { mayOnFlow, type FlowCaller, type FlowUnderAccess } from './flow-rights.js';

/**
 * Any version but the published one is for those who may edit the flow: an approval or a schema that was added since would
 * otherwise be passed by.
 *
 * @param published null: none was published yet
 */
export function mayRunVersion(
  caller: FlowCaller,
  version: number,
  published: number | null,
  flow: FlowUnderAccess,
  grantPermissions: readonly string[],
): boolean {
  return version === published || mayOnFlow(caller, 'edit', flow, grantPermissions);
}

/** Whether a run of another flow may name a lane that this flow uses: it holds up the plays of this one. */
export function mayShareLaneOf(
  caller: FlowCaller,
  flow: FlowUnderAccess,
  grantPermissions: readonly string[],
): boolean {
  return mayOnFlow(caller, 'execute', flow, grantPermissions);
}
