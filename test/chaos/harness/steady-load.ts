import { setTimeout as pause } from 'node:timers/promises';
import type { Load, Outcome, Unanswered } from './load.js';

export interface SteadyLoad<T> extends Omit<Load<T>, 'done'> {
  /** Starts no more; resolves when every request has an answer or has failed. */
  stop(): Promise<void>;
}

const TICK_MS = 20;

/** Requests at a fixed rate, however slow the answers are. Those that fail are `unanswered`. */
export function steadyLoad<T>(perSecond: number, send: (index: number) => Promise<T>): SteadyLoad<T> {
  const answered: Outcome<T>[] = [];
  const unanswered: Unanswered[] = [];
  const pending: Promise<unknown>[] = [];
  const stopping = new AbortController();
  const from = performance.now();
  const due = (): number => ((performance.now() - from) / 1_000) * perSecond;
  const one = (index: number): Promise<unknown> =>
    send(index).then(
      (value) => answered.push({ index, value }),
      (error: unknown) => unanswered.push({ index, error }),
    );
  const running = (async () => {
    while (!stopping.signal.aborted) {
      while (pending.length < due()) pending.push(one(pending.length));
      await pause(TICK_MS);
    }
  })();
  return {
    answered,
    unanswered,
    stop: async () => {
      stopping.abort();
      await running;
      await Promise.all(pending);
    },
  };
}
