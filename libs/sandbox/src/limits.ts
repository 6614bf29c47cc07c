/** Bounds of the sandbox. Time limits of tasks count the time for which their process had a processor since it got the task. */

import type { Program } from './task.js';

/** Characters of JSON that go into a task. */
export const MAX_INPUT_CHARS = 8 * 1024 * 1024;
/** Characters that may come out of a task. */
export const MAX_ANSWER_CHARS: Readonly<Record<Program, number>> = {
  expressions: 8 * 1024 * 1024,
  code: 8 * 1024 * 1024,
  documents: 8 * 1024 * 1024,
  // what @weft/openapi takes at most, and its report
  openapi: 34 * 1024 * 1024,
};
/** For all expressions in the arguments and conditions of a layer together. */
export const EXPRESSIONS_TIMEOUT_MS = 2_000;
/** For an import of an OpenAPI document; one of 13 MB takes two seconds. */
export const IMPORT_TIMEOUT_MS = 30_000;
/** Heap of one process. V8 aborts a process that exceeds it. */
export const HEAP_MB: Readonly<Record<Program, number>> = { expressions: 160, code: 160, documents: 160, openapi: 512 };
/** A process that is larger than this after a task is not used again: an engine seldom gives memory back. */
export const MAX_REUSED_MB = 192;
/** A process that exceeds its time limit gets this much longer before it is killed: it may be writing its answer. */
export const GRACE_MS = 100;
/** An idle process is ended after this time. */
export const IDLE_MS = 60_000;
/** Default number of idle processes that are kept, each for the company whose tasks it has run. */
export const DEFAULT_MAX_IDLE = 16;
export const MAX_WAITING = { perCompany: 5_000, total: 20_000 } as const;
/** `code` that has run for `afterMs` gives up its slot to waiting tasks and continues outside of it: this many at once. */
export const SLOW_CODE = { concurrency: 2, afterMs: 1_000 } as const;

/**
 * What a task may take altogether, however little of a processor it gets: ten times its limit, at least 10 s, and at most 30 s, which
 * is the longest limit that a task has: it keeps its slot from others no longer than one with that limit (ADR 47).
 */
export function longestMs(timeoutMs: number): number {
  return Math.max(timeoutMs, Math.min(10 * Math.max(timeoutMs, 1_000), 30_000));
}

/**
 * What an import may take altogether: it gets the processors that others leave, on a busy machine few. A scheduler imports one document
 * at a time, so it keeps one slot.
 */
export const IMPORT_LONGEST_MS = 10 * IMPORT_TIMEOUT_MS;

/** Delays before a start is tried again when the machine has no room for another process. */
export const START_RETRY_DELAYS_MS = [200, 800, 2_000] as const;
