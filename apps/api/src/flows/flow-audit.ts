import { type AuditAction, type AuditChange, type AuditEntryInput } from '@weft/store';
import { FLOWS } from '@weft/records';
import { actorEntry, type Actor } from '../audit/actor-entry.js';

export { changesBetween, type Actor } from '../audit/actor-entry.js';

/** The audit entry of a change of a flow or of its layers; both are found under the flow's id. */
export function flowEntry(
  actor: Actor,
  action: AuditAction,
  flowId: string,
  changes: Readonly<Record<string, AuditChange>>,
): AuditEntryInput {
  return actorEntry(actor, action, { collection: FLOWS, resource_type: 'flow', resource_id: flowId }, changes);
}
