export type { FlowVersion, LayerDefinition } from './flow-version.js';
export { eventTopic, positionsWaitingFor, topicsOfEvent, type LayerOutcome, type LayerWait } from './layer-outcome.js';
export { planLayers, type LayerKind, type LayerPlan } from './layer-plan.js';
export type { ContentReading, PayloadForm } from './payload-form.js';
export {
  chainOf,
  type Chain,
  type DoneItems,
  type LayerResult,
  type LogEntry,
  type ParentLayer,
  type PayloadRef,
  type Play,
} from './play.js';
export {
  INLINE_OUTPUT_BYTES,
  beginnableSince,
  journal,
  playLayerId,
  startedAtOf,
  type JournalSource,
} from './journal.js';
export { KV_KEYS_SHOWN, type KvUse } from './kv-use.js';
export { numbered, type PlayEvent } from './play-log.js';
export { OPEN_FIELDS, applyWrite, endWrite, type PlayField, type PlayWrite } from './play-write.js';
export { PROTOCOL_TIMES, assertProtocolTimes, type ProtocolTimes } from './times.js';
export { acceptPlay, type RunRequest } from './accept.js';
export { isReferredAnswer, takesReferredAnswers, type ReferredAnswer } from './inbox.js';
export {
  COMMAND_ATTEMPTS,
  decideCommand,
  wantsRoom,
  type Command,
  type CommandTarget,
  type Decision,
} from './commands/commands.js';
export {
  admitWrite,
  dueWrite,
  joinsQueueWhenDue,
  raiseWrite,
  reapWrite,
  timeLimitWrite,
  tooLargeErasingWrite,
  tooLargeWrite,
  type OpenPlay,
} from './reconcile/reconcile.js';
export { Sightings, isOwnerDead, watchAfterMs } from './reconcile/sightings.js';
export { abandon, lazy, next, type Facts, type Step } from './session/decide.js';
export { applied, askOf, called, calling, checked, refused } from './session/outcomes.js';
export { unreadyWrite, type Unready } from './session/unready.js';
export { unstorableEnds } from './session/unstorable.js';
export { take, whyDropped, type HandOut, type Session } from './session/session.js';
export { crashesOf, isSuspect, mayRunBeside } from './session/suspects.js';
export type { Purpose, SessionWrite } from './session/write-fields.js';
export { KEEP_SLOT_MS, mayTryAgain, pauseMs } from './session/attempts.js';
export { UnstorableError, type OwnedPlay, type PlayKey, type PlayStore } from './ports.js';
export { runningLayers, type LogReading } from './running-layers.js';
export { playChanges, type PlayChange } from './changes.js';
export { resultsNeeded, type ResultNeed } from './journal-needs.js';
export { decideRetry, payloadsOf, retryOf } from './retry.js';
export {
  isCronFault,
  nextSlots,
  readCronRule,
  readWindow,
  type CronFault,
  type CronRule,
} from './schedule/cron-rule.js';
export { MISSED, OVERLAPS, dueSlots, isWorthFiring, turnOf, type Missed, type Overlap } from './schedule/due-slots.js';
