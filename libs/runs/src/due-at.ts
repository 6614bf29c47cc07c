import type { RunInput } from './play-acceptance.js';

/** When a run starts; null: at once, also when its time is past. */
export function dueAtOf({ runAt, delayMs }: Pick<RunInput, 'runAt' | 'delayMs'>, serverNow: Date): Date | null {
  if (runAt) return runAt > serverNow ? runAt : null;
  return delayMs ? new Date(serverNow.getTime() + delayMs) : null;
}
