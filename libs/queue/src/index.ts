export { Doorbell, type DoorbellOptions } from './doorbell.js';
export { FlowGatekeeper, leaveToScheduler, type FlowGatekeeperDeps } from './flow-gatekeeper.js';
export { QueueKeys } from './keys.js';
export { LiveWorkers, type LiveWorker } from './live-workers.js';
export { PlayConsumer, type HandOut, type PlayConsumerOptions } from './play-consumer.js';
export { QueueInspector, type ShardDepth } from './queue-inspector.js';
export { openRedis, type RedisPurpose } from './redis.js';
export { RunWindow, type Admission, type Prioritized, type Refill } from './run-window.js';
export { WindowRefiller, type WaitingPlays, type WindowRefillerOptions } from './window-refiller.js';
