import { readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Linux has a priority for each thread, and those of the collector and the compiler take processors, too. */
export function setPriorityOfThreads(pid: number, priority: number): void {
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, priority);
    } catch {
      // it has just ended, or the system has no priorities: then it keeps the share of any process
    }
  }
}

/**
 * Of a session against others. Where Linux has a group for each session (`sched_autogroup`), it divides processors between groups first,
 * and priorities hold within one: with nothing else to do in our session, a process of the lowest priority takes as much as a database.
 */
export function setPriorityOfSession(pid: number, priority: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priority));
  } catch {
    // there are no such groups, or they are changed too often: the priority of the threads holds
  }
}

function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid]; // it is not Linux, or the process has ended
  }
}
