import type { Place } from './task.js';

/**
 * Why a task gave nothing. `sandbox_limit`: it, its input or its answer is past a bound, which the message names; `failed`: the
 * text could not be evaluated; `cancelled`: its signal was aborted, or the sandbox was closed.
 */
export class SandboxFailure extends Error {
  constructor(
    readonly code: 'sandbox_limit' | 'failed' | 'cancelled',
    message: string,
    readonly at?: Place,
  ) {
    super(message);
    this.name = 'SandboxFailure';
  }
}
