export { assertEnabled, assertPublished, assertRunnable } from './assert-runnable.js';
export type { ComputingDeps } from './compute-expressions.js';
export { TRY_LIMIT_MS, type LayerTryAnswer, type LayerTryOrder } from './layer-try-order.js';
export { acceptRetry } from './accept-retry.js';
export { hasArgs } from './continue-failed.js';
export { FlowCache, toFlowUnderAccess, type RunnableFlow } from './flow-cache.js';
export { assertCondition, conditionFaults, conditionHolds } from './flow-condition.js';
export { assertQueueNames, keyOfLimit, laneOf, mayComputeLane, queueNameFaults } from './queue-names.js';
export { assertArgsFit } from './assert-args-fit.js';
export { CompanyRates } from './company-rates.js';
export { WindowSizes } from './window-sizes.js';
export { CompanyLimits } from './company-limits.js';
export { insertTurns, type InsertTurn } from './insert-turns.js';
export { keyOfDelivery, OWN_KEYS, ownKeyPrefix } from './own-keys.js';
export { RUN_PATH, RUNS_OPTIONS, type RunsOptions } from './run-path.js';
export { SCHEDULED_RUN_AUTHORIZER, ScheduledRunAuthorizer, type RunEligibility } from './scheduled-run-authorizer.js';
export { PlayAcceptance, type PlayAcceptanceDeps } from './play-acceptance.js';
export { laneRequest } from './run-request.js';
export type { AcceptedRun, RunInput } from './run-input.js';
export { ParentNotifier } from './parent-notifier.js';
export { observePayloads } from './observe-payloads.js';
export { PlayStats } from './play-stats.js';
export { RunsModule } from './runs.module.js';
export { PlayChanges, type ChangedPlay } from './play-changes.js';
export { PlayCommands, type Applied } from './play-commands.js';
export { storedIntegrations } from './stored-integrations.js';
export { AnswerPayload } from './answer-payload.js';
export { DeliveryLog, type LoggedOutcome, type SentDelivery } from './triggers/delivery-log.js';
export { READ_MESSAGE, textOrBase64, type LoggedMessage, type ReadMessage } from './triggers/source-messages.js';
export {
  compileTrigger,
  HIDDEN,
  TriggerReading,
  arrivedMessage,
  type Arrived,
  type CompiledTrigger,
  type Texts,
} from './triggers/trigger-expressions.js';
export { compilePoll, PollReading, type CompiledPoll } from './triggers/poll-expressions.js';
export { EVENT_DELIVERY } from './event-delivery.provider.js';
export { EventDelivery, type DeliveredEvent } from './event-delivery.js';
