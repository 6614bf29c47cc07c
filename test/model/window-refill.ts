/** A refill: takes the lock, admits due plays and then NEW ones in order, and rings for them. */
import { admit, ringFor, type WindowStep, type WindowWorld } from './window-model.js';
import type { PlayNumber, Refill, WindowState } from './window-state.js';

type Stage = (next: WindowState, refill: Refill, which: number, world: WindowWorld) => string | void;

const STAGES: Readonly<Record<Refill['at'], { readonly does: string; readonly take: Stage }>> = {
  begin: { does: 'begins', take: begin },
  takeDue: { does: 'admits due plays', take: takeDue },
  writeDue: { does: 'has due plays continue', take: writeDue },
  ringDue: { does: 'rings for due plays', take: ringDue },
  find: { does: 'finds new plays', take: find },
  end: { does: 'ends', take: end },
  ring: { does: 'rings', take: ring },
};

export function refillSteps(state: WindowState, world: WindowWorld): WindowStep[] {
  return state.refills.flatMap((refill, which): WindowStep[] => {
    if (!refill) return [];
    const { does, take } = STAGES[refill.at];
    const goesOn: WindowStep = {
      name: `refill ${which} ${does}`,
      take: (next) => take(next, next.refills[which] as Refill, which, world),
    };
    return state.crashesLeft === 0 ? [goesOn] : [goesOn, die(which)];
  });
}

function die(which: number): WindowStep {
  return {
    name: `refill ${which} dies`,
    take: (next) => {
      next.crashesLeft -= 1;
      next.refills[which] = null;
      if (next.cache.lock === which + 1) next.cache.lock = 0; // its time runs out
    },
  };
}

function begin({ cache, refills }: WindowState, refill: Refill, which: number, world: WindowWorld): void {
  if (cache.lock !== 0) {
    refills[which] = null;
    return;
  }
  if (world.has('refillOnlyWaiting') && cache.waiting === 0 && !cache.dueWaits) {
    cache.isListed = false;
    refills[which] = null;
    return;
  }
  cache.lock = which + 1;
  Object.assign(refill, {
    at: cache.dueWaits ? 'takeDue' : 'find',
    hadWaiting: cache.waiting > 0,
    room: Math.max(0, world.size - cache.members.length),
    cursor: cache.cursor,
    refusals: cache.refusals,
    reissueUpTo: cache.reissueUpTo,
    hasPriorities: cache.hasPriorities || cache.reissueUpTo > 0,
  });
}

function takeDue(next: WindowState, refill: Refill, which: number, world: WindowWorld): void {
  const { cache } = next;
  const due = inState(next, 'DUE');
  const members = due.filter((play) => cache.members.includes(play));
  const others = due.filter((play) => !members.includes(play));
  const share = refill.hadWaiting ? Math.ceil(refill.room / 2) : refill.room;
  const room = cache.lock === which + 1 ? Math.min(share, world.size - cache.members.length) : 0;
  const admitted = others.slice(0, Math.max(0, room));
  admit(next, ...admitted);
  cache.dueWaits = others.length > admitted.length;
  refill.due = [...members, ...admitted];
  refill.room = Math.max(0, refill.room - admitted.length);
  refill.at = 'writeDue';
}

function writeDue(next: WindowState, refill: Refill): void {
  for (const play of refill.due) continueDue(next, play);
  refill.at = 'ringDue';
}

function ringDue(next: WindowState, refill: Refill): void {
  for (const play of refill.due) if (next.plays[play]?.state === 'GOING') ringFor(next, play);
  refill.due = [];
  refill.at = refill.hadWaiting ? 'find' : 'end';
  refill.foundAll = !refill.hadWaiting;
}

/** Plays with a higher priority first, wherever the cursor is; those with a lower one when no other waits. */
function find(next: WindowState, refill: Refill, _which: number, world: WindowWorld): void {
  const found: PlayNumber[] = [];
  let isMore = false;
  const look = (from: PlayNumber, sign: number): void => {
    for (const play of inState(next, 'NEW')) {
      if (play < from || Math.sign(world.priorityOf(play)) !== sign || next.cache.members.includes(play)) continue;
      if (found.length < refill.room) found.push(play);
      else isMore = true;
    }
  };
  if (refill.hasPriorities) look(0, 1);
  look(Math.max(0, refill.cursor - 1), 0); // plays may be stored one out of order
  if (refill.hasPriorities) {
    if (!isMore && found.length < refill.room) look(0, -1);
    else isMore = true;
  }
  refill.found = found;
  refill.foundAll = refill.room > 0 && !isMore && found.length < refill.room;
  refill.at = 'end';
}

function end(next: WindowState, refill: Refill, which: number, world: WindowWorld): void {
  const { cache, refills } = next;
  if (cache.lock !== which + 1) {
    refills[which] = null;
    return;
  }
  cache.lock = 0;
  const before = cache.members.length;
  const hadPlace = refill.found.filter((play) => cache.members.includes(play) && play >= refill.reissueUpTo);
  admit(next, ...refill.found);
  for (const play of refill.found) if (world.priorityOf(play) === 0) cache.cursor = Math.max(cache.cursor, play + 1);
  cache.waiting = Math.max(0, cache.waiting - (cache.members.length - before));
  if (refill.foundAll && (!world.has('refusalsCount') || cache.refusals === refill.refusals)) {
    Object.assign(cache, { waiting: 0, reissueUpTo: 0, isListed: false, hasPriorities: false });
  } else if (cache.waiting === 0) cache.waiting = 1;
  if (cache.dueWaits) cache.isListed = true;
  if (world.has('placedOnce')) refill.found = refill.found.filter((play) => !hadPlace.includes(play));
  if (refill.found.length === 0) refills[which] = null;
  else refill.at = 'ring';
}

function ring(next: WindowState, refill: Refill, which: number): string | void {
  next.refills[which] = null;
  for (const number of refill.found) {
    const play = next.plays[number];
    if (play?.state !== 'NEW') continue;
    if (number < refill.reissueUpTo) play.epoch += 1;
    const broken = ringFor(next, number);
    if (broken) return broken;
  }
}

export function continueDue({ plays }: WindowState, number: PlayNumber): void {
  const play = plays[number];
  if (play?.state !== 'DUE') return;
  play.state = 'GOING';
  play.epoch += 1;
}

function inState({ plays }: WindowState, state: WindowState['plays'][number]['state']): PlayNumber[] {
  return [...plays.keys()].filter((play) => plays[play]?.state === state);
}
