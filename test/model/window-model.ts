/**
 * The admission window of one company (docs/protocol.md §12): API processes accept plays, workers end them, refills and the
 * reconciler ring. One step is one atomic action of a store or a process; processes die and Redis loses its data between any two.
 */
import type { Model, Step } from './explore.js';
import { apiSteps } from './window-api.js';
import { duePassSteps, reconcilerSteps } from './window-reconciler.js';
import { refillSteps } from './window-refill.js';
import { startOf, type PlayNumber, type WindowCase, type WindowRule, type WindowState } from './window-state.js';
import { redisSteps, workerSteps } from './window-worker.js';

export type WindowStep = Step<WindowState>;

/** What the steps of all parts need to know. */
export interface WindowWorld {
  readonly size: number;
  has(rule: WindowRule): boolean;
  priorityOf(play: PlayNumber): number;
  isDelayed(play: PlayNumber): boolean;
}

/** @param without the rule that is taken out */
export function windowModel(given: WindowCase, without?: WindowRule): Model<WindowState> {
  const world: WindowWorld = {
    size: given.window,
    has: (rule) => rule !== without,
    priorityOf: (play) => given.priorities?.[play] ?? 0,
    isDelayed: (play) => given.due?.includes(play) ?? false,
  };
  const parts = [apiSteps, redisSteps, workerSteps, refillSteps, duePassSteps, reconcilerSteps];
  return {
    start: startOf(given),
    steps: (state) => parts.flatMap((part) => part(state, world)),
    isEnd: ({ accepting, plays }) =>
      accepting.every((at) => at !== 'insert') && plays.every(({ state }) => state === 'DONE'),
    violation: ({ cache, putBack }) => {
      const admitted = cache.members.filter((play) => !putBack.includes(play)).length;
      return admitted > given.window ? `${admitted} plays are in a window of ${given.window}` : null;
    },
    normalize: ({ plays, cache }) => {
      for (const play of plays) play.epoch = play.state === 'DONE' ? 0 : Math.min(play.epoch, 4);
      cache.refusals = Math.min(cache.refusals, 9);
      cache.waiting = Math.min(cache.waiting, given.plays);
    },
  };
}

/**
 * Adds a job unless the queue knows one of the same play and epoch. It does not know that of a first ring, whose job may have
 * several plays: two of them would be two workers that have the play unclaimed.
 *
 * @returns what a second first ring breaks; Redis may lose its data between the place and the ring (docs/protocol.md §11)
 */
export function ringFor({ jobs, plays, workers, placedAtWipe }: WindowState, play: PlayNumber): string | void {
  const epoch = plays[play]?.epoch ?? 1;
  const isQueued = jobs.some((job) => job.play === play && job.epoch === epoch);
  const isRun = workers.some((run) => run?.at === 'run' && run.play === play && run.epoch === epoch);
  if (epoch === 1 && (isQueued || isRun) && !placedAtWipe.includes(play))
    return `play ${play} is rung for twice for the first time`;
  if (isQueued) return;
  jobs.push({ play, epoch, takenBy: 0 });
  jobs.sort((a, b) => a.play - b.play || a.epoch - b.epoch);
}

export function admit({ cache: { members } }: WindowState, ...plays: readonly PlayNumber[]): void {
  members.push(...plays.filter((play) => !members.includes(play)));
  members.sort((a, b) => a - b);
}

export function beginRefill(state: WindowState, which: number): void {
  state.refills[which] ??= {
    at: 'begin',
    hadWaiting: false,
    room: 0,
    cursor: 0,
    refusals: 0,
    reissueUpTo: 0,
    hasPriorities: false,
    due: [],
    found: [],
    foundAll: false,
  };
}
