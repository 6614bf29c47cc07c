/** What runs may be refused with, however they are made. */
import type { ErrorCode } from '@weft/kernel';

/** Of a flow that cannot be run. */
export const UNRUNNABLE_REFUSALS = [
  'flow_disabled',
  'flow_not_published',
  'flow_is_blueprint',
] as const satisfies readonly ErrorCode[];

/** Of a play that is to be accepted. */
export const ACCEPTANCE_REFUSALS = [
  ...UNRUNNABLE_REFUSALS,
  'version_not_published',
  'condition_failed',
  'invalid_args',
  'invalid_lane',
  'invalid_limit_key',
  'lane_denied',
  'backlog_full',
  'too_many_runs',
  'storage_full',
] as const satisfies readonly ErrorCode[];
