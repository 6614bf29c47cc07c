import { setTimeout as pause } from 'node:timers/promises';
import type { Load, Outcome, Unanswered } from './load.js';

export interface Timed<T> extends Outcome<T> {
  /** From the moment that it was due at the rate to its answer: what the sender itself was late with is in it. */
  readonly ms: number;
}

export interface SteadyLoad<T> extends Omit<Load<T>, 'done' | 'answered'> {
  /** In order of their answers; grows while the load runs. */
  readonly answered: readonly Timed<T>[];
  /** Begins no more; resolves when every request has its answer, or none. */
  stop(): Promise<{ readonly perSecond: number; readonly seconds: number }>;
}

const TICK_MS = 20;

/** Requests at a rate, however slow the answers come. Those that fail are `unanswered`. */
export function steadyLoad<T>(perSecond: number, send: (index: number) => Promise<T>): SteadyLoad<T> {
  const answered: Timed<T>[] = [];
  const unanswered: Unanswered[] = [];
  const pending: Promise<unknown>[] = [];
  const stopping = new AbortController();
  const begunAt = performance.now();
  const secondsSince = (): number => (performance.now() - begunAt) / 1_000;
  const one = (index: number): Promise<unknown> =>
    send(index).then(
      (value) => answered.push({ index, value, ms: (secondsSince() - index / perSecond) * 1_000 }),
      (error: unknown) => unanswered.push({ index, error }),
    );
  const running = (async () => {
    while (!stopping.signal.aborted) {
      while (pending.length < secondsSince() * perSecond) pending.push(one(pending.length));
      await pause(TICK_MS);
    }
  })();
  return {
    answered,
    unanswered,
    stop: async () => {
      stopping.abort();
      await running;
      const seconds = secondsSince();
      await Promise.all(pending);
      return { perSecond: pending.length / seconds, seconds };
    },
  };
}
