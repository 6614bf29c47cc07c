export { isDrainable, type Drainable } from './drainable.js';
export { founding } from './founding.js';
export { createAdapter, sendProblem } from './http-server.js';
export { HostModule, type HostValues } from './host.module.js';
export {
  BootError,
  type AdapterParts,
  type BootContext,
  type BootTask,
  type ProcessName,
  type ProcessOptions,
  type RunningProcess,
} from './process-options.js';
export { startProcess } from './start-process.js';
export { CLOCK, LOG, NEW_ID, REDIS, SETTINGS } from './tokens.js';
