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
    violation: ({ cache: { members } }) =>
      members.length > given.window ? `${members.length} plays are in a window of ${given.window}` : null,
    normalize: ({ plays }) => {
      for (const play of plays) play.epoch = play.state === 'DONE' ? 0 : Math.min(play.epoch, 4);
    },
  };
}

/**
 * Adds a job unless the queue knows one of the same play and epoch. It does not know that of a first ring, whose job may have
 * several plays: two of them would be two workers that have the play unclaimed.
 *
 * @returns what the ring breaks
 */
export function ringFor({ jobs, plays, workers, cache, isWiped }: WindowState, number: PlayNumber): string | void {
  const { epoch = 1, state } = plays[number] ?? {};
  const isQueued = jobs.some((job) => job.play === number && job.epoch === epoch);
  const isRun = workers.some((run) => run?.at === 'run' && run.play === number && run.epoch === epoch);
  if (epoch === 1 && (isQueued || isRun)) return `play ${number} is rung for twice for the first time`;
  if (isQueued) return;
  jobs.push({ play: number, epoch, takenBy: 0 });
  jobs.sort((a, b) => a.play - b.play || a.epoch - b.epoch);
  if (state === 'NEW' && !isWiped && !cache.members.includes(number))
    return `play ${number} is rung for without a place`;
}

/**
 * One script: gives places to these plays as long as there is room.
 *
 * @param isRefill it takes room although others wait
 * @param more how many more plays wait
 * @param asksAgain who finds no room does not wait yet: it asks again (which is the same as to ask later), or is marked
 * @returns those that have a place now
 */
export function takeRoom(
  { cache }: WindowState,
  world: WindowWorld,
  plays: readonly PlayNumber[],
  { isRefill = false, more = 0, asksAgain = false } = {},
): PlayNumber[] {
  const { members } = cache;
  const isOpen = isRefill || !cache.waits || !world.has('noOvertaking');
  const taken: PlayNumber[] = [];
  for (const play of plays) {
    const hasRoom = members.length < world.size || !world.has('placesCounted');
    if (!members.includes(play) && isOpen && hasRoom) members.push(play);
    if (members.includes(play)) taken.push(play);
  }
  members.sort((a, b) => a - b);
  const left = more + (asksAgain ? 0 : plays.length - taken.length);
  if (members.length >= world.size && left > 0) cache.waits = true;
  return taken;
}

export function beginRefill(state: WindowState, which: number): void {
  state.refills[which] ??= { at: 'begin', room: 0, found: [], foundAll: false, ring: [] };
}
