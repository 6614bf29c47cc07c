export { Doorbell, type AskedRing, type DoorbellOptions } from './handout/doorbell.js';
export { TurnKeeper, type TurnKeeperDeps } from './fairness/turn-keeper.js';
export { MOST_PLAYS_PER_JOB } from './handout/group-jobs.js';
export { LiveWorkers, workersOf, type LiveWorker, type LiveWorkersOptions } from './handout/live-workers.js';
export { giveBack } from './handout/give-back.js';
export { WindowRoom } from './window/window-room.js';
export { PlayConsumer, type HandOut, type PlayConsumerOptions } from './handout/play-consumer.js';
export { QueueInspector, type ReadLabels } from './handout/queue-inspector.js';
export type { ShardDepth } from './handout/label-inspector.js';
export {
  AdmissionWindow,
  isRefillDue,
  type RoomReply,
  type TakenRoom,
  type WindowSizeOf,
} from './window/admission-window.js';
export { WindowRefiller, type WaitingPlays, type WindowRefillerOptions } from './window/window-refiller.js';
