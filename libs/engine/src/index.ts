export type { FlowVersion, LayerDefinition } from './flow-version.js';
export { eventTopic, positionsWaitingFor, topicsOfEvent, type LayerOutcome, type LayerWait } from './layer-outcome.js';
export { planLayers, type LayerKind, type LayerPlan } from './layer-plan.js';
export type { LayerResult, LogEntry, PayloadRef, Play } from './play.js';
export { INLINE_OUTPUT_BYTES, journal, playLayerId, startedAtOf, type JournalSource } from './journal.js';
export { numbered, type PlayEvent } from './play-log.js';
export { applyWrite, type PlayField, type PlayWrite } from './play-write.js';
export { PROTOCOL_TIMES, assertProtocolTimes, type ProtocolTimes } from './times.js';
export { acceptPlay, type RunRequest } from './accept.js';
export { COMMAND_ATTEMPTS, decideCommand, type Command, type Decision } from './commands/commands.js';
export { admitWrite, dueWrite, raiseWrite, reapWrite, type OpenPlay } from './reconcile/reconcile.js';
export {
  abandon,
  applied,
  called,
  calling,
  lazy,
  next,
  refused,
  type Facts,
  type Outcome,
  type Step,
} from './session/decide.js';
export { take, type HandOut, type Parking, type Session } from './session/session.js';
export type { Purpose, SessionWrite } from './session/writes.js';
export { KEEP_SLOT_MS, mayTryAgain, pauseMs } from './session/attempts.js';
export type { OwnedPlay, PlayKey, PlayStore } from './ports.js';
export { resultsNeeded, type ResultNeed } from './journal-needs.js';
export { decideRetry, retryOf } from './retry.js';
