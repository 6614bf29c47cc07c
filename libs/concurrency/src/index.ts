/**
 * Which to take:
 *
 * - Many callers, one round trip: `GroupCommit` (each caller gets its result), `MicroBatcher` (no caller waits).
 * - One call at a time: `SingleFlight` (callers share the call), `FreshFlight` (callers share a call that begins after they ask),
 *   `CoalescingRunner` (a request during a pass leads to one more, for which nobody waits).
 * - Values in memory: `ReadThroughCache` (at most a second old), `RefreshAhead` (the same for values that you keep yourself),
 *   `ProcessCache` (definitions, within one limit in bytes).
 * - Fairness between companies: `CompanyRounds` (a walk over what they have stored), `RoundRobinQueue` (turns), `FairSemaphore`
 *   (turns for a few places), `BytesSemaphore` (memory), `DeficitRoundRobin` (bytes that are sent), `FairTaskRunner` (time).
 * - What is under way, thousands of them per second: `Roster`.
 * - How long to wait for others: `TimeLimit`, which counts only time in which this process runs.
 */
export { approximateBytes } from './approximate-bytes.js';
export { BytesSemaphore, type BytesPermit } from './bytes-semaphore.js';
export { CoalescingRunner } from './coalescing-runner.js';
export { CompanyRounds, type CompanyRoundsOptions, type CompanyStep } from './company-rounds.js';
export { DeficitRoundRobin, QUANTUM_BYTES, type Deficit, type Sender } from './deficit-round-robin.js';
export { FairSemaphore } from './fair-semaphore.js';
export { FairTaskRunner, type FairTaskRunnerOptions } from './fair-task-runner.js';
export { FreshFlight } from './fresh-flight.js';
export { GroupCommit, type BatchOutcome, type GroupCommitOptions } from './group-commit.js';
export { MicroBatcher } from './micro-batcher.js';
export { ProcessCache, type CacheView } from './process-cache.js';
export { ReadThroughCache } from './read-through-cache.js';
export { FRESH_MS, RefreshAhead } from './refresh-ahead.js';
export { Roster } from './roster.js';
export { RoundRobinQueue } from './round-robin-queue.js';
export { SingleFlight } from './single-flight.js';
export { TimeLimit } from './time-limit.js';
