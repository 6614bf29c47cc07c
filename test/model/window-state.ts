/** The state of one company's admission window and of everybody who changes it. Plays are numbers, in the order of their ids. */

export type PlayNumber = number;

export interface ModelPlay {
  /** `DUE`: delayed or paused, and its time has come. `GOING`: it continues, as RUN. */
  state: 'absent' | 'NEW' | 'DUE' | 'GOING' | 'DONE';
  epoch: number;
}

/** What Redis keeps of the window. All of it may be lost. */
export interface WindowCache {
  members: PlayNumber[];
  cursor: number;
  /** The cache knows nothing of plays before this one. */
  knownFrom: number;
  exists: boolean;
  /** About how many NEW plays wait outside. */
  waiting: number;
  /** Grows with each play that found no room. */
  refusals: number;
  /** The company is in the list of those that a scheduler refills. */
  isListed: boolean;
  /** Plays before this one are reissued when a refill rings for them. */
  reissueUpTo: number;
  /** The refill that holds the lock, from 1; 0 when nobody does. */
  lock: number;
  hasPriorities: boolean;
  /** A due play found no room. */
  dueWaits: boolean;
}

export interface Job {
  readonly play: PlayNumber;
  readonly epoch: number;
  /** The worker that has it, from 1; 0 while it waits in the queue. */
  takenBy: number;
}

export interface Refill {
  at: 'begin' | 'takeDue' | 'writeDue' | 'ringDue' | 'find' | 'end' | 'ring';
  hadWaiting: boolean;
  room: number;
  cursor: number;
  refusals: number;
  reissueUpTo: number;
  hasPriorities: boolean;
  /** Due plays with a place. */
  due: PlayNumber[];
  /** NEW plays that were found. */
  found: PlayNumber[];
  foundAll: boolean;
}

export interface WindowState {
  plays: ModelPlay[];
  /** What the API process that accepts each play does next. */
  accepting: ('insert' | 'admit' | 'ring' | 'list' | 'nothing')[];
  cache: WindowCache;
  jobs: Job[];
  workers: ({ play: PlayNumber; epoch: number; at: 'run' | 'leave' } | null)[];
  /** A worker's refill and the reconciler's. */
  refills: (Refill | null)[];
  /** The play that the reconciler has reissued and rings for next. */
  reissued: PlayNumber | null;
  duePass: { at: 'write' | 'ring'; play: PlayNumber } | null;
  crashesLeft: number;
  wipesLeft: number;
  isWiped: boolean;
  /** Plays that the reconciler put into the window because they had been rung for: they may exceed its size. */
  putBack: PlayNumber[];
  /** Plays that waited in order when Redis lost its data. */
  waitedAtWipe: PlayNumber[];
  /** Plays that had their place, and were about to be rung for, when Redis lost its data. */
  placedAtWipe: PlayNumber[];
}

/** The parts of the protocol that keep the window right; each can be taken out. */
export const WINDOW_RULES = {
  keeperSeesAll: 'the reconciler refills every company with waiting plays in MongoDB, not only those that Redis lists',
  refusalsCount: 'a refill forgets that plays wait only if no play was refused since it began',
  looksBeforeCursor: 'NEW plays before the cursor without a job are reissued',
  looksAtMembers: 'NEW members without a job are reissued, wherever the cursor is',
  rewindTakesOut: 'a window that begins anew first takes out the plays whose jobs are gone',
  repairs: 'the reconciler takes ended members out',
  prioritiesMarked: 'the reconciler notes a play with a priority that nobody counted',
  anewByCache: 'a window begins anew for a lost play that its cache does not know',
  knowsFrom: 'a cache that an admission began knows nothing of older plays',
  dueTakesPlace: 'a due play continues only with a place in the window',
  dueWaits: 'no new play takes the room that a due play waits for',
  repairsDue: 'members that are due and did not continue are taken out',
  dueFound: 'each pass finds due plays in MongoDB, whatever Redis says',
  placedOnce: 'only what gives a new play its place in the window makes its first ring',
  refillOnlyWaiting: 'a refill that finds nobody waiting ends',
} as const;
export type WindowRule = keyof typeof WINDOW_RULES;

export interface WindowCase {
  readonly plays: number;
  readonly window: number;
  readonly workers: number;
  /** By play; default 0. */
  readonly priorities?: readonly number[];
  readonly due?: readonly PlayNumber[];
  readonly crashes?: number;
  readonly wipes?: number;
}

export function emptyCache(): WindowCache {
  return {
    members: [],
    cursor: 0,
    knownFrom: 0,
    exists: false,
    waiting: 0,
    refusals: 0,
    isListed: false,
    reissueUpTo: 0,
    lock: 0,
    hasPriorities: false,
    dueWaits: false,
  };
}

export function startOf({ plays, workers, crashes = 0, wipes = 0 }: WindowCase): WindowState {
  return {
    plays: Array.from({ length: plays }, () => ({ state: 'absent', epoch: 1 })),
    accepting: Array.from({ length: plays }, () => 'insert'),
    cache: emptyCache(),
    jobs: [],
    workers: Array.from({ length: workers }, () => null),
    refills: [null, null],
    reissued: null,
    duePass: null,
    crashesLeft: crashes,
    wipesLeft: wipes,
    isWiped: false,
    putBack: [],
    waitedAtWipe: [],
    placedAtWipe: [],
  };
}
