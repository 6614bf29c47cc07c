export { within } from './drain.js';
export { provisionTasks, joinTasks } from './join-tasks.js';
export { createAdapter, noteRefusal } from './http-server.js';
export type { HostValues } from './host.module.js';
export {
  BootError,
  type AdapterParts,
  type BootContext,
  type BootTask,
  type ProcessName,
  type ProcessOptions,
  type RunningProcess,
} from './process-options.js';
export { BulkRunner } from './bulk/bulk-runner.js';
export { BulkEnd, BulkPause, type BulkStrategy } from './bulk/bulk-strategy.js';
export { REDIS_CHECK } from './store-checks.js';
export { startProcess } from './start-process.js';
export { productVersion } from './system.js';
export { publicPathOf } from './public-path.js';
export { Pass, passesOf, type PassOptions } from './passes/pass.js';
export { PassLoop } from './passes/pass-loop.js';
export { PassRunner } from './passes/pass-runner.js';
export { sideBySide } from './passes/side-by-side.js';
export { PassesModule } from './passes/passes.module.js';
