export { withComputed, type ComputingDeps } from './compute-expressions.js';
export { acceptRetry } from './accept-retry.js';
export { FlowCache, toFlowUnderAccess, type RunnableFlow } from './flow-cache.js';
export { assertCondition, conditionFaults, conditionHolds } from './flow-condition.js';
export { assertArgsFit } from './args-schema/args-faults.js';
export { schemaFaults } from './args-schema/schema-faults.js';
export { boundedUnits } from './large-args.js';
export { OWN_KEYS, ownKeyPrefix } from './own-keys.js';
export { openRunPath, type RunPath, type RunPathDependencies } from './run-path.js';
export { SCHEDULED_RUN_AUTHORIZER, ScheduledRunAuthorizer, type RunEligibility } from './scheduled-run-authorizer.js';
export {
  PlayAcceptance,
  assertRunnable,
  type AcceptedRun,
  type PlayAcceptanceDeps,
  type RunInput,
} from './play-acceptance.js';
export { LoopNotifier } from './loop-notifier.js';
export { ParentNotifier } from './parent-notifier.js';
export { observePayloads } from './observe-payloads.js';
export { PlayStats } from './play-stats.js';
export { RunsModule, type RunsOptions } from './runs.module.js';
export { PlayChanges, type ChangedPlay } from './play-changes.js';
export { PlayCommands, type Applied } from './play-commands.js';
