import { setTimeout as pause } from 'node:timers/promises';
import type { Load, Outcome, Unanswered } from './load.js';

export interface Timed<T> extends Outcome<T> {
  /** From the moment at which the request was due to its answer: includes the sender's own delay. */
  readonly ms: number;
}

export interface SteadyLoad<T> extends Omit<Load<T>, 'done' | 'answered'> {
  /** In order of their answers; grows while the load runs. */
  readonly answered: readonly Timed<T>[];
  /** Sets the rate from now on. Returns how many requests per second were started since the last change. */
  pace(perSecond: number): number;
  /** Starts no more; resolves when every request has an answer or has failed. */
  stop(): Promise<void>;
}

const TICK_MS = 20;

/** Requests at a fixed rate, however slow the answers are. Those that fail are `unanswered`. */
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
