/** A refill: takes the lock, finds who waits, gives places, has due plays continue and removes marks, and rings. */
import { ringFor, takeRoom, type WindowStep, type WindowWorld } from './window-model.js';
import type { PlayNumber, Refill, WindowState } from './window-state.js';

type Stage = (next: WindowState, refill: Refill, which: number, world: WindowWorld) => string | void;

const STAGES: Readonly<Record<Refill['at'], { readonly does: string; readonly take: Stage }>> = {
  begin: { does: 'begins', take: begin },
  find: { does: 'finds who waits', take: find },
  take: { does: 'takes room', take },
  write: { does: 'writes', take: write },
  ring: { does: 'rings', take: ring },
};

export function refillSteps(state: WindowState, world: WindowWorld): WindowStep[] {
  return state.refills.flatMap((refill, which): WindowStep[] => {
    if (!refill) return [];
    const { does, take: goOn } = STAGES[refill.at];
    const goesOn: WindowStep = {
      name: `refill ${which} ${does}`,
      take: (next) => goOn(next, next.refills[which] as Refill, which, world),
    };
    return state.crashesLeft === 0 ? [goesOn] : [goesOn, die(which)];
  });
}

function die(which: number): WindowStep {
  return {
    name: `refill ${which} dies`,
    take: (next) => {
      next.crashesLeft -= 1;
      end(next, which); // the lock's time runs out
    },
  };
}

function end({ refills, cache }: WindowState, which: number): void {
  refills[which] = null;
  if (cache.lock === which + 1) cache.lock = 0;
}

function begin(next: WindowState, refill: Refill, which: number, world: WindowWorld): void {
  const { cache, refills } = next;
  if (cache.lock !== 0 && cache.lock !== which + 1) {
    refills[which] = null;
    return;
  }
  cache.lock = which + 1;
  refill.room = world.size - cache.members.length;
  if (refill.room <= 0 && world.has('placesCounted')) end(next, which);
  else refill.at = 'find';
}

/** By priority, then in order; those that are due share the room with new ones. */
function find(next: WindowState, refill: Refill, which: number, world: WindowWorld): void {
  const of = (choose: (play: WindowState['plays'][number]) => boolean): PlayNumber[] =>
    [...next.plays.keys()].filter((play) => choose(next.plays[play] as WindowState['plays'][number]));
  const due = of(({ state }) => state === 'DUE');
  const fresh = of(({ state, ready, epoch }) => {
    return state === 'NEW' && (ready || (!world.has('refillsMarked') && epoch === 1));
  }).toSorted((a, b) => world.priorityOf(b) - world.priorityOf(a) || a - b);
  const half = fresh.length > 0 ? Math.ceil(refill.room / 2) : refill.room;
  const first = due.slice(0, half);
  refill.foundAll = due.length + fresh.length <= refill.room;
  refill.found = refill.foundAll ? [...due, ...fresh] : [...first, ...fresh.slice(0, refill.room - first.length)];
  if (due.length + fresh.length === 0 && !next.cache.waits) end(next, which);
  else refill.at = 'take';
}

function take(next: WindowState, refill: Refill, _which: number, world: WindowWorld): void {
  if (refill.foundAll) next.cache.waits = false;
  const more = refill.foundAll ? 0 : 1;
  refill.found = takeRoom(next, world, refill.found, { isRefill: true, more });
  refill.at = world.has('markFirst') ? 'write' : 'ring';
  if (!world.has('markFirst')) refill.ring = refill.found.filter((play) => next.plays[play]?.state === 'NEW');
}

function write(next: WindowState, refill: Refill, _which: number, world: WindowWorld): void {
  const rings: PlayNumber[] = [];
  for (const number of refill.found) {
    const play = next.plays[number];
    if (play?.state === 'DUE') {
      continueDue(next, number);
      rings.push(number);
    } else if (play?.state === 'NEW') {
      if (play.ready || !world.has('markDecides') || !world.has('refillsMarked')) rings.push(number);
      play.ready = false;
    }
  }
  refill.ring = world.has('markFirst') ? rings : rings.filter((play) => next.plays[play]?.state === 'GOING');
  refill.at = world.has('markFirst') ? 'ring' : 'begin';
}

function ring(next: WindowState, refill: Refill, _which: number, world: WindowWorld): string | void {
  refill.at = world.has('markFirst') ? 'begin' : 'write';
  for (const play of refill.ring) {
    const { state } = next.plays[play] ?? {};
    const broken = state === 'NEW' || state === 'GOING' ? ringFor(next, play) : undefined;
    if (broken) return broken;
  }
}

export function continueDue({ plays }: WindowState, number: PlayNumber): void {
  const play = plays[number];
  if (play?.state !== 'DUE') return;
  play.state = 'GOING';
  play.epoch += 1;
}
