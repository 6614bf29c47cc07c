export { EXPRESSIONS_TIMEOUT_MS, MAX_INPUT_CHARS } from './limits.js';
export { Sandbox, type SandboxCall } from './sandbox.js';
export { SandboxFailure } from './sandbox-failure.js';
export type { SandboxTask, LazyTask } from './task.js';
