export { EXPRESSIONS_TIMEOUT_MS, IMPORT_TIMEOUT_MS, MAX_INPUT_CHARS } from './limits.js';
export { Sandbox, type SandboxCall } from './sandbox.js';
export { openapiAnswer } from './openapi-answer.js';
export { SandboxFailure } from './sandbox-failure.js';
export type { SandboxTask, LazyTask } from './task.js';
