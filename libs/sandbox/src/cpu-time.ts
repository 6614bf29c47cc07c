import { readFileSync } from 'node:fs';

/** Linux counts in these, on every machine that Node runs on. */
const TICK_MS = 10;
/** Of `/proc/<pid>/task/<tid>/stat`, after the name: time in the program, time in the system. */
const [IN_PROGRAM, IN_SYSTEM] = [11, 12];

/**
 * For how long the main thread of a process has had a processor, in ms. Its other threads compile and collect garbage, which is
 * not what its program does. Null: the process has ended, or the system does not say (it is not Linux).
 */
export function cpuTimeMs(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1');
    // the name of the process is in parentheses, and may contain any character
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[IN_PROGRAM]) + Number(fields[IN_SYSTEM]);
    return Number.isFinite(ticks) ? ticks * TICK_MS : null;
  } catch {
    return null;
  }
}
