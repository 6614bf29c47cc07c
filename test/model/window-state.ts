/** The state of one company's admission window and of everybody who changes it. Plays are numbers, in the order of their ids. */

export type PlayNumber = number;

export interface ModelPlay {
  /** `DUE`: delayed or paused, and its time has come. `GOING`: it continues, as RUN. */
  state: 'absent' | 'NEW' | 'DUE' | 'GOING' | 'DONE';
  epoch: number;
  /** NEW, and waits for room: nobody has rung for it under this epoch. */
  ready: boolean;
}

/** What Redis keeps of the window. All of it may be lost. */
export interface WindowCache {
  members: PlayNumber[];
  /** Somebody found the window full: until a refill has found all that wait, new plays take no room. */
  waits: boolean;
  /** The refill that holds the lock, from 1; 0 when nobody does. */
  lock: number;
}

export interface Job {
  readonly play: PlayNumber;
  readonly epoch: number;
  /** The worker that has it, from 1; 0 while it waits in the queue. */
  takenBy: number;
}

export interface Refill {
  at: 'begin' | 'find' | 'take' | 'write' | 'ring';
  room: number;
  /** Due plays first, then NEW ones; once taken, those that have a place. */
  found: PlayNumber[];
  foundAll: boolean;
  /** Those that this refill's writes have set going. */
  ring: PlayNumber[];
}

export interface WindowState {
  plays: ModelPlay[];
  /** What the API process that accepts each play does next. */
  accepting: ('insert' | 'askRoom' | 'ring' | 'mark' | 'announce' | 'nothing')[];
  cache: WindowCache;
  jobs: Job[];
  workers: ({ play: PlayNumber; epoch: number; at: 'run' | 'leave' } | null)[];
  /** That of a worker or an API, and the reconciler's. */
  refills: (Refill | null)[];
  /** The play that the reconciler has reissued and rings for next. */
  reissued: PlayNumber | null;
  duePass: { at: 'write' | 'ring'; play: PlayNumber } | null;
  crashesLeft: number;
  wipesLeft: number;
  isWiped: boolean;
}

/** The parts of the protocol that keep the window right; each can be taken out. */
export const WINDOW_RULES = {
  keeperSeesAll: 'the reconciler refills every company with marked plays in MongoDB, whatever Redis says',
  lostIsFound: 'NEW plays without a mark and without a job are found',
  lostWaits: 'a NEW play whose job is lost is marked, and gets its place like any other',
  repairs: 'the reconciler takes ended members out',
  takesUpMembers: 'marked members are taken up, whether there is room or not',
  repairsDue: 'members that are due and did not continue are taken out',
  refillsMarked: 'a refill takes up marked plays only',
  markFirst: 'a refill removes the mark before it rings',
  markDecides: 'only the refill whose write removed the mark makes the ring',
  placesCounted: 'the set takes no more members than the window holds',
  dueTakesPlace: 'a due play continues only with a place in the window',
  dueFound: 'each pass finds due plays in MongoDB, whatever Redis says',
  noOvertaking: 'no new play takes room while others wait',
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
  return { members: [], waits: false, lock: 0 };
}

export function startOf({ plays, workers, crashes = 0, wipes = 0 }: WindowCase): WindowState {
  return {
    plays: Array.from({ length: plays }, () => ({ state: 'absent', epoch: 1, ready: false })),
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
  };
}

export function copyOf(state: WindowState): WindowState {
  const { cache } = state;
  return {
    plays: state.plays.map(({ state: at, epoch, ready }) => ({ state: at, epoch, ready })),
    accepting: [...state.accepting],
    cache: { members: [...cache.members], waits: cache.waits, lock: cache.lock },
    jobs: state.jobs.map(({ play, epoch, takenBy }) => ({ play, epoch, takenBy })),
    workers: state.workers.map((run) => run && { play: run.play, epoch: run.epoch, at: run.at }),
    refills: state.refills.map(
      (refill) =>
        refill && {
          at: refill.at,
          room: refill.room,
          found: [...refill.found],
          foundAll: refill.foundAll,
          ring: [...refill.ring],
        },
    ),
    reissued: state.reissued,
    duePass: state.duePass && { at: state.duePass.at, play: state.duePass.play },
    crashesLeft: state.crashesLeft,
    wipesLeft: state.wipesLeft,
    isWiped: state.isWiped,
  };
}

const flag = (is: boolean): string => (is ? '!' : '');

/** Each field as a text: the same for the same values, another for any other. */
const TEXTS: { readonly [Field in keyof WindowState]: (state: WindowState) => string | number | null } = {
  plays: ({ plays }) => {
    let text = '';
    for (const { state, epoch, ready } of plays) text += `;${state}${epoch}${flag(ready)}`;
    return text;
  },
  accepting: ({ accepting }) => accepting.join(),
  cache: ({ cache: { members, waits, lock } }) => `${members.join()};${flag(waits)}${lock}`,
  jobs: ({ jobs }) => {
    let text = '';
    for (const { play, epoch, takenBy } of jobs) text += `;${play},${epoch},${takenBy}`;
    return text;
  },
  workers: ({ workers }) => {
    let text = '';
    for (const run of workers) text += run ? `;${run.play},${run.epoch},${run.at}` : ';';
    return text;
  },
  refills: ({ refills }) => {
    let text = '';
    for (const refill of refills) {
      if (refill)
        text += `${refill.at}${refill.room},${refill.found.join()}${flag(refill.foundAll)}/${refill.ring.join()}`;
      text += ';';
    }
    return text;
  },
  reissued: ({ reissued }) => reissued,
  duePass: ({ duePass }) => (duePass ? duePass.at + duePass.play : ''),
  crashesLeft: ({ crashesLeft }) => crashesLeft,
  wipesLeft: ({ wipesLeft }) => wipesLeft,
  isWiped: ({ isWiped }) => flag(isWiped),
};
const ALL_TEXTS = Object.values(TEXTS);

/** `JSON.stringify` takes several times as long. */
export function keyOf(state: WindowState): string {
  let key = '';
  for (const textOf of ALL_TEXTS) key += `|${textOf(state)}`;
  return key;
}
