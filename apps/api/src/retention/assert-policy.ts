import { WeftError, type FieldError } from '@weft/kernel';
import { DURATION_SAYS, RETENTION_SCOPES, durationMs } from '@weft/retention';
import type { RetentionPolicyDocument } from '@weft/records';

/** What a request may say of a policy, before anybody looked at it. */
export type PolicyFields = Pick<
  RetentionPolicyDocument,
  'cadence' | 'min_entries' | 'enforced_minimum' | 'enabled' | 'flow_id' | 'flow_group_id'
> & { readonly scope: string | null };

/**
 * Applies to policies of all three kinds: general, of a flow, of a flow group. A value under a floor is not an error: it is
 * stored and overridden.
 *
 * @throws WeftError `invalid_policy` with every fault
 */
export function assertPolicy(policy: PolicyFields): asserts policy is PolicyFields & RetentionPolicyDocument {
  const errors = [...durationFaults(policy), ...kindFaults(policy)];
  if (errors.length === 0) return;
  throw new WeftError('invalid_policy', `${errors.map(({ message }) => message).join('; ')}.`, { errors });
}

function durationFaults(policy: PolicyFields): FieldError[] {
  return (['cadence', 'enforced_minimum'] as const)
    .filter((path) => durationMs(policy[path]) === null)
    .map((path) => fault(path, `${path} is "${policy[path]}"; write ${DURATION_SAYS}`));
}

function kindFaults({ scope, flow_id, flow_group_id }: PolicyFields): FieldError[] {
  if (flow_id !== null && flow_group_id !== null) {
    return [fault('flow_group_id', 'a policy is for a flow or for a flow group, not for both')];
  }
  if (flow_id !== null) {
    return scope === null
      ? []
      : [fault('scope', 'a policy with flow_id has no scope: it is for the plays of the flow')];
  }
  if (flow_group_id !== null) {
    return scope === 'flows.group' ? [] : [fault('scope', 'the scope of a policy with flow_group_id is flows.group')];
  }
  if (scope === 'flows.group')
    return [fault('flow_group_id', 'a policy with the scope flows.group names its flow_group_id')];
  if (scope === null)
    return [fault('scope', `say what it is for: a scope (${RETENTION_SCOPES.join(', ')}), flow_id or flow_group_id`)];
  if ((RETENTION_SCOPES as readonly string[]).includes(scope)) return [];
  return [fault('scope', `there is no scope "${scope}"; there are ${RETENTION_SCOPES.join(', ')}`)];
}

function fault(path: string, message: string): FieldError {
  return { path, code: 'invalid_policy', message };
}
