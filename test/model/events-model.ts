/**
 * The model of kept events: a sender that is answered, plays that begin to wait meanwhile, and the scheduler, with a crash between any
 * two steps. A step is one atomic action of the store: an insert, a read, a write on its condition, or a transaction.
 */
import type { Model, Step } from './explore.js';

/** Each can be left out, to see what goes wrong without it. */
export const EVENT_RULES = {
  keepsFirst: 'the event is kept before its sender looks for plays that wait',
  looksAfter: 'a worker looks for kept events after its play waits, not before',
  together: 'a play takes the event and its answer in one transaction',
  asksForOpen: 'a play takes only an event that none has taken',
  repairs: 'the scheduler looks for plays that wait for events which are still kept',
  repeats: 'a repetition of an event that was taken reaches plays that waited as it came',
} as const;

export type EventRule = keyof typeof EVENT_RULES;

export interface EventCase {
  readonly plays: number;
  /** Of the sender, the workers and the scheduler together. */
  readonly crashes: number;
}

/** Of one play and its worker. `looks`: the worker has still to look; `saw`: it has read whether the event is kept. */
interface Waiter {
  waits: boolean;
  /** It waited as the event came. */
  waited: boolean;
  answered: boolean;
  at: 'runs' | 'looks' | 'looksEarly' | 'saw' | 'half' | 'done' | 'dead';
  sawOpen: boolean;
}

interface State {
  /** null: nobody has sent it. */
  event: 'open' | 'taken' | null;
  sender: 'begins' | 'kept' | 'found' | 'half' | 'answered' | 'dead';
  /** Plays that the sender has found and not given it yet. */
  found: number[];
  waiters: Waiter[];
  /** The play that the scheduler is about to give it. */
  repairing: number | null;
  crashesLeft: number;
  /** How many plays took the kept event, each instead of all others. */
  takes: number;
}

export function eventsModel(given: EventCase, ...without: readonly EventRule[]): Model<State> {
  const has = (rule: EventRule): boolean => !without.includes(rule);
  const isFree = (waiter: Waiter): boolean => waiter.waits && !waiter.answered;

  const keep = (state: State): void => {
    state.event = 'open';
    for (const waiter of state.waiters) waiter.waited = isFree(waiter);
  };

  /** What one taker does with an event that it has read as kept: the play that waited first gets it. */
  const take = (state: State, waiter: Waiter): 'taken' | 'gone' | 'not_waiting' => {
    if (has('asksForOpen') && state.event !== 'open') return 'gone';
    if (!isFree(waiter)) return 'not_waiting';
    state.event = 'taken';
    state.takes += 1;
    waiter.answered = true;
    return 'taken';
  };

  function senderSteps(state: State): Step<State>[] {
    const { sender, found } = state;
    const next = found[0];
    if (sender === 'begins' && has('keepsFirst'))
      return [{ name: 'the sender keeps the event', take: (s) => void (keep(s), (s.sender = 'kept')) }];
    if (sender === 'begins' || sender === 'kept') {
      return [
        {
          name: 'the sender looks for plays that wait',
          take: (s) => {
            s.found = s.waiters.flatMap((waiter, i) => (isFree(waiter) ? [i] : []));
            s.sender = 'found';
          },
        },
      ];
    }
    if (sender === 'dead' && has('repeats') && state.event === 'taken') {
      return [
        {
          name: 'the sender repeats what was taken',
          take: (s) => {
            s.found = s.waiters.flatMap((waiter, i) => (waiter.waited && isFree(waiter) ? [i] : []));
            s.sender = 'found';
          },
        },
      ];
    }
    if (sender === 'dead' && state.event !== 'taken') {
      return [{ name: 'the sender repeats it', take: (s) => void (s.sender = s.event ? 'kept' : 'begins') }];
    }
    if (sender === 'found' && next !== undefined) {
      return [
        {
          name: `the sender gives it to play ${next}`,
          take: (s) => {
            const waiter = s.waiters[next] as Waiter;
            s.found.shift();
            // the first one takes it; who waited beside it, or while another play took it, is given it, too
            if (s.event === 'open') take(s, waiter);
            else if (isFree(waiter)) waiter.answered = true;
            if (s.event === null && waiter.answered) s.event = 'taken';
          },
        },
      ];
    }
    if (sender === 'found')
      return [
        {
          name: 'the sender is answered',
          take: (s) => {
            s.event ??= 'open'; // without the rule it is kept here: nobody waited
            s.sender = 'answered';
          },
        },
      ];
    return [];
  }

  function workerSteps(state: State, i: number): Step<State>[] {
    const at = (s: State): Waiter => s.waiters[i] as Waiter;
    const look = (s: State): void => void (at(s).sawOpen = s.event === 'open');
    switch ((state.waiters[i] as Waiter).at) {
      case 'runs':
        return has('looksAfter')
          ? [
              {
                name: `play ${i} begins to wait`,
                take: (s) => void ((at(s).waits = true), (at(s).at = 'looks')),
              },
            ]
          : [{ name: `worker ${i} looks`, take: (s) => void (look(s), (at(s).at = 'looksEarly')) }];
      case 'looksEarly':
        return [{ name: `play ${i} begins to wait`, take: (s) => void ((at(s).waits = true), (at(s).at = 'saw')) }];
      case 'looks':
        return [{ name: `worker ${i} looks`, take: (s) => void (look(s), (at(s).at = 'saw')) }];
      case 'saw':
        return [
          {
            name: `worker ${i} gives its play what it saw`,
            take: (s) => {
              const waiter = at(s);
              waiter.at = 'done';
              if (!waiter.sawOpen) return;
              if (has('together')) take(s, waiter);
              else if (s.event === 'open' && isFree(waiter)) {
                s.event = 'taken';
                s.takes += 1;
                waiter.at = 'half';
              }
            },
          },
        ];
      case 'half':
        return [
          {
            name: `worker ${i} answers its play`,
            take: (s) => void ((at(s).answered = true), (at(s).at = 'done')),
          },
        ];
      default:
        return [];
    }
  }

  function schedulerSteps(state: State): Step<State>[] {
    if (!has('repairs')) return [];
    if (state.repairing !== null) {
      return [
        {
          name: 'the scheduler gives it',
          take: (s) => {
            const waiter = s.waiters[s.repairing as number] as Waiter;
            s.repairing = null;
            take(s, waiter);
          },
        },
      ];
    }
    if (state.event !== 'open') return [];
    return state.waiters.flatMap((waiter, i) =>
      isFree(waiter) ? [{ name: `the scheduler finds play ${i}`, take: (s: State) => void (s.repairing = i) }] : [],
    );
  }

  function crashes(state: State): Step<State>[] {
    if (state.crashesLeft === 0) return [];
    const crash = (name: string, end: (s: State) => void): Step<State> => ({
      name: `${name} crashes`,
      take: (s) => {
        s.crashesLeft -= 1;
        end(s);
      },
    });
    const workers = state.waiters.flatMap(({ at }, i) =>
      ['looks', 'looksEarly', 'saw', 'half'].includes(at)
        ? [
            crash(`worker ${i}`, (s) => {
              const waiter = s.waiters[i] as Waiter;
              // a play that does not wait yet is executed again
              waiter.at = waiter.waits ? 'dead' : 'runs';
            }),
          ]
        : [],
    );
    const isSending = state.sender !== 'answered' && state.sender !== 'dead';
    return [
      ...workers,
      ...(isSending ? [crash('the sender', (s) => void ((s.sender = 'dead'), (s.found = [])))] : []),
      ...(state.repairing === null ? [] : [crash('the scheduler', (s) => void (s.repairing = null))]),
    ];
  }

  return {
    start: {
      event: null,
      sender: 'begins',
      found: [],
      waiters: Array.from({ length: given.plays }, () => ({
        ...{ waits: false, waited: false, answered: false, sawOpen: false },
        at: 'runs' as const,
      })),
      repairing: null,
      crashesLeft: given.crashes,
      takes: 0,
    },
    steps: (state) => [
      ...senderSteps(state),
      ...state.waiters.flatMap((_waiter, i) => workerSteps(state, i)),
      ...schedulerSteps(state),
      ...crashes(state),
    ],
    isEnd: ({ event, sender, waiters, repairing }) =>
      sender === 'answered' &&
      repairing === null &&
      waiters.every(({ at }) => at === 'done' || at === 'dead') &&
      (event === null || event === 'taken' || !waiters.some(isFree)),
    violation: ({ event, sender, takes, waiters }) => {
      if (takes > 1) return 'two plays took what one play takes';
      if (sender === 'answered' && event === 'taken' && waiters.some((waiter) => waiter.waited && isFree(waiter)))
        return 'a play that waited as the event came does not have it';
      const isPending = waiters.some(({ at }) => at === 'half');
      if (event === 'taken' && !isPending && !waiters.some(({ answered }) => answered))
        return 'the event is taken, and no play has it';
      return null;
    },
    normalize: () => undefined,
    copy: (state) => structuredClone(state),
    keyOf: (state) => JSON.stringify(state),
  };
}
