import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
/** At most this part of the time is spent polling, so that a slow check does not slow down what it waits for. */
const PART_FOR_ASKING = 0.3;
const LONGEST_PAUSE_MS = 500;

export interface WaitOptions {
  /** What is awaited, for the error message. */
  readonly what: string;
  readonly withinMs?: number;
}

/**
 * Polls until the result is neither undefined, null nor false, and returns it.
 * @throws Error with the last failure as its cause, when the time is up
 */
export async function waitFor<T>(
  ask: () => Promise<T> | T,
  { what, withinMs = 60_000 }: WaitOptions,
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + withinMs;
  let failure: unknown;
  for (;;) {
    const askedAt = performance.now();
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer as NonNullable<Exclude<T, false>>;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain for ${what}`, { cause: failure });
    const tookMs = performance.now() - askedAt;
    await pause(Math.min(Math.max(LOOK_EVERY_MS, tookMs / PART_FOR_ASKING), LONGEST_PAUSE_MS));
  }
}
