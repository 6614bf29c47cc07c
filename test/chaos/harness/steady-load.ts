import { setTimeout as pause } from 'node:timers/promises';
import type { Load, Outcome, Unanswered } from './load.js';

export interface Timed<T> extends Outcome<T> {
  /** From the moment that it was due at the rate to its answer: what the sender itself was late with is in it. */
  readonly ms: number;
}

export interface SteadyLoad<T> extends Omit<Load<T>, 'done' | 'answered'> {
  /** In order of their answers; grows while the load runs. */
  readonly answered: readonly Timed<T>[];
  /** From now on at this rate. Gives how many a second were begun since the last change. */
  pace(perSecond: number): number;
  /** Begins no more; resolves when every request has its answer, or none. */
  stop(): Promise<void>;
}

const TICK_MS = 20;

/** Requests at a rate, however slow the answers come. Those that fail are `unanswered`. */
export function steadyLoad<T>(perSecond: number, send: (index: number) => Promise<T>): SteadyLoad<T> {
  const answered: Timed<T>[] = [];
  const unanswered: Unanswered[] = [];
  const pending: Promise<unknown>[] = [];
  const stopping = new AbortController();
  let pace = { perSecond, from: performance.now(), sent: 0 };
  const secondsSince = (from: number): number => (performance.now() - from) / 1_000;
  const due = (): number => pace.sent + secondsSince(pace.from) * pace.perSecond;
  const one = (index: number): Promise<unknown> => {
    const dueAt = pace.from + ((index - pace.sent) / pace.perSecond) * 1_000;
    return send(index).then(
      (value) => answered.push({ index, value, ms: performance.now() - dueAt }),
      (error: unknown) => unanswered.push({ index, error }),
    );
  };
  const beginDue = (): void => {
    while (pending.length < due()) pending.push(one(pending.length));
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      beginDue();
      await pause(TICK_MS);
    }
  })();
  return {
    answered,
    unanswered,
    pace: (next) => {
      beginDue();
      const before = pace;
      pace = { perSecond: next, from: performance.now(), sent: pending.length };
      return (pace.sent - before.sent) / secondsSince(before.from);
    },
    stop: async () => {
      stopping.abort();
      await running;
      await Promise.all(pending);
    },
  };
}
