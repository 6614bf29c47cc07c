/** Bounds of the sandbox. Times are wall clock, from the moment at which a process has the task. */

/** Characters of JSON that go into a task, and that may come out of it. */
export const MAX_INPUT_CHARS = 8 * 1024 * 1024;
export const MAX_ANSWER_CHARS = 8 * 1024 * 1024;
/** Of expressions in the arguments and conditions of a layer, all of them together. */
export const EXPRESSIONS_TIMEOUT_MS = 2_000;
/** Heap of one process. Past it the process ends itself. */
export const HEAP_MB = 160;
/** A process that is larger than this after a task is not used again: what an engine has taken, it seldom gives back. */
export const RESTING_MB = 192;
/** A process that does not answer in time gets so much longer before it is killed: it may just be writing its answer. */
export const GRACE_MS = 100;
/** A process that has nothing to do is ended after so long. */
export const IDLE_MS = 60_000;
/** Processes without a task that are kept, unless the setting says otherwise: each for the company that it worked for. */
export const KEPT = 16;
export const MAX_WAITING = { perCompany: 5_000, total: 20_000 } as const;
/** `code` that has lasted for so long leaves its place to others that wait, and goes on beside them: so many at once. */
export const SLOW_CODE = { places: 2, afterMs: 1_000 } as const;
/** When the machine has no room for another process: pauses before it is tried again. */
export const START_PAUSES_MS = [200, 800, 2_000] as const;
