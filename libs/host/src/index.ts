export { AFTER_REQUESTS, type Drainable } from './drainable.js';
export { founding, joining } from './founding.js';
export { createAdapter, noteRefusal } from './http-server.js';
export type { HostValues } from './host.module.js';
export { observePayloads } from './observe-payloads.js';
export {
  BootError,
  type AdapterParts,
  type BootContext,
  type BootTask,
  type ProcessName,
  type ProcessOptions,
  type RunningProcess,
} from './process-options.js';
export { PlayFigures } from './play-figures.js';
export { startProcess } from './start-process.js';
export { productVersion } from './system.js';
export { CLOCK, LOG, NEW_ID, REDIS, SETTINGS } from './tokens.js';
