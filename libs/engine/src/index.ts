export type { FlowVersion, LayerDefinition } from './flow-version.js';
export {
  CONFIRM_MS,
  DOWN_CALLS,
  DOWN_SHARE,
  EVIDENCE_MS,
  failsAgain,
  fullRate,
  isFullStep,
  PROBE_LEASE_MS,
  probeDelayMs,
  rateAtStep,
  seemsDown,
  type CallEvidence,
} from './destination-health.js';
export {
  destinationTopic,
  eventTopic,
  isPause,
  limitTopic,
  isTimed,
  positionsWaitingFor,
  topicsOfEvent,
  type LayerOutcome,
  type LayerWait,
} from './layer-outcome.js';
export { planLayers, type LayerKind, type LayerPlan } from './layer-plan.js';
export { outputIn, type ContentReading, type PayloadForm } from './payload-form.js';
export { isParsed, outOf, packOut, withoutBigIntegers } from './stored-out.js';
export {
  chainOf,
  type Chain,
  type DoneItems,
  type LayerResult,
  type LogEntry,
  type ParentLayer,
  type PayloadRef,
  type Play,
  PLAY_SCHEMA_VERSION,
} from './play.js';
export {
  INLINE_OUTPUT_BYTES,
  startableSince,
  journal,
  playLayerId,
  shownError,
  shownOutput,
  startedAtOf,
  type JournalSource,
} from './journal.js';
export { mergeLabels, toLabels, type StoredLabels } from './labels.js';
export {
  awaitsTurns,
  flowOfQueue,
  flowQueue,
  freeSlots,
  holdingQueue,
  isAtStoppedLane,
  joinWrite,
  laneFault,
  isLaneQueue,
  laneOfQueue,
  laneQueue,
  leaveWrite,
  MAX_QUEUE_NAME,
  queueNameFault,
  queueOfTurn,
  queuesOf,
  QUEUES_OF_FLOWS,
  QUEUES_OF_LANES,
  slotsIn,
  turnOf,
  turnsAtEnd,
  turnsWrite,
  type LaneRequest,
} from './turns.js';
export { ROW_FIELDS, playRow, playRowAt, rowFieldsOf, type RowFields, type RowSource } from './play-row.js';
export { KV_KEYS_SHOWN, type KvUse } from './kv-use.js';
export { framesOf, numberEvents, slotWaitMs, type PlayEvent } from './play-log.js';
export { OPEN_FIELDS, applyWrite, endWrite, type PlayField, type PlayWrite } from './play-write.js';
export { PROTOCOL_TIMES, assertProtocolTimes, timesDividedBy, type ProtocolTimes } from './times.js';
export { acceptPlay, underLimit, type RunRequest } from './accept.js';
export { failureArgs, startsHandler, type FailedPlay, type FailureArgs } from './failure.js';
export { tooLateWrite } from './too-late.js';
export { isReferredAnswer, type ReferredAnswer } from './inbox.js';
export {
  COMMAND_ATTEMPTS,
  decideCommand,
  needsRoom,
  type Command,
  type CommandTarget,
  type Decision,
} from './commands/commands.js';
export {
  dueWrite,
  joinsQueueWhenDue,
  reissueWrite,
  waitWrite,
  reapWrite,
  timeLimitWrite,
  tooLargeErasingWrite,
  tooLargeWrite,
  type OpenPlay,
} from './reconcile/reconcile.js';
export { Sightings, isOwnerDead, watchAfterMs } from './reconcile/sightings.js';
export { decideGivingUp, decideLazyClaim, nextStep, type StepInputs, type SessionStep } from './session/next-step.js';
export {
  onWriteStored,
  layerInputsOf,
  onLayerEnded,
  onLayersStarted,
  onConditionChecked,
  onWriteRefused,
} from './session/session-events.js';
export { decideKeeping } from './session/keeping.js';
export { unreadyWrite, type UnreadyReason } from './session/unready.js';
export { unstorableEndWrites } from './session/unstorable.js';
export { startSession, dropReason, type SessionStart, type Session } from './session/session.js';
export { crashesOf, isSuspect, mayRunInParallel } from './session/suspects.js';
export {
  beginsToAwaitEvents,
  layersWaitingForPlays,
  type WritePurpose,
  type SessionWrite,
  type StoredStep,
} from './session/write-fields.js';
export { KEEP_SLOT_MS, mayRetry, retryDelayMs } from './session/attempts.js';
export { faultOfRetryOn, matchesStatus, type PeerAnswer } from './session/retry-on.js';
export { UnstorableError, type OwnedPlay, type PlayKey, type PlayStore, type Written } from './ports.js';
export { runningLayers, type LogReading } from './running-layers.js';
export { playChanges, type PlayChange } from './changes.js';
export { resultsNeeded, type ResultNeed } from './journal-needs.js';
export { decideRetry, payloadsOf, retryOf, type RetriedPlay } from './retry.js';
export {
  isCronFault,
  nextSlots,
  readCronRule,
  parseDurationMs,
  type CronFault,
  type CronRule,
} from './schedule/cron-rule.js';
export { dueSlots, isWorthFiring, decideFiring } from './schedule/due-slots.js';
