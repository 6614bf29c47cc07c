import type { TextPosition } from './task.js';

/**
 * Why a task has no result. `sandbox_limit`: the task, its input or its answer exceeds a limit, which the message names;
 * `failed`: the text could not be evaluated; `cancelled`: its signal was aborted, or the sandbox was closed.
 */
export class SandboxFailure extends Error {
  constructor(
    readonly code: 'sandbox_limit' | 'failed' | 'cancelled',
    message: string,
    readonly at?: TextPosition,
    /** References of files whose texts the task reads and was not given. */
    readonly files?: readonly string[],
  ) {
    super(message);
    this.name = 'SandboxFailure';
  }
}
