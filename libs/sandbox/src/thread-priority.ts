import { readdirSync } from 'node:fs';
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

function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid]; // it is not Linux, or the process has ended
  }
}
