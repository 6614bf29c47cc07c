/** The reconciler: finds due plays, refills windows, repairs them, and has plays whose jobs are lost wait again. */
import { beginRefill, ringFor, takeRoom, type WindowStep, type WindowWorld } from './window-model.js';
import { continueDue } from './window-refill.js';
import type { PlayNumber, WindowState } from './window-state.js';

const ITS_REFILL = 1;

/** One pass looks at one due play at a time. */
export function duePassSteps(state: WindowState, world: WindowWorld): WindowStep[] {
  const { duePass, plays, cache, crashesLeft } = state;
  if (duePass) {
    const { at, play } = duePass;
    const goesOn: WindowStep =
      at === 'write'
        ? { name: `the due pass has ${play} continue`, take: (next) => writeDue(next, play) }
        : {
            name: `the due pass rings for ${play}`,
            take: (next) => {
              next.duePass = null;
              return ringFor(next, play);
            },
          };
    return crashesLeft === 0 ? [goesOn] : [goesOn, dueDies];
  }
  if (!world.has('dueFound') && !cache.waits) return [];
  return [...plays.keys()]
    .filter((play) => plays[play]?.state === 'DUE')
    .map((play) => ({ name: `the due pass looks at ${play}`, take: (next) => admitDue(next, play, world) }));
}

const dueDies: WindowStep = {
  name: 'the due pass dies',
  take: (next) => {
    next.crashesLeft -= 1;
    next.duePass = null;
  },
};

function admitDue(next: WindowState, play: PlayNumber, world: WindowWorld): void {
  const hasPlace = !world.has('dueTakesPlace') || takeRoom(next, world, [play]).length > 0;
  if (hasPlace) next.duePass = { at: 'write', play };
  else beginRefill(next, ITS_REFILL);
}

function writeDue(next: WindowState, play: PlayNumber): string | void {
  next.duePass = null;
  if (next.plays[play]?.state !== 'DUE') return;
  continueDue(next, play);
  next.duePass = { at: 'ring', play };
  if (!next.cache.members.includes(play) && !next.isWiped) return `play ${play} continues without a place`;
}

export function reconcilerSteps(state: WindowState, world: WindowWorld): WindowStep[] {
  const { reissued, crashesLeft } = state;
  if (reissued === null) return [...windowSteps(state, world), ...lostPlaySteps(state, world)];
  const rings: WindowStep = {
    name: `the reconciler rings for ${reissued}`,
    take: (next) => {
      next.reissued = null;
      return ringFor(next, reissued);
    },
  };
  return crashesLeft === 0 ? [rings] : [rings, reconcilerDies];
}

const reconcilerDies: WindowStep = {
  name: 'the reconciler dies',
  take: (next) => {
    next.crashesLeft -= 1;
    next.reissued = null;
  },
};

function windowSteps(state: WindowState, world: WindowWorld): WindowStep[] {
  const { cache, plays } = state;
  const steps: WindowStep[] = [];
  const isAnyMarked = plays.some(({ state: at, ready }) => at === 'NEW' && ready);
  const sees = isAnyMarked && (world.has('keeperSeesAll') || cache.waits);
  if (sees && !state.refills[ITS_REFILL]) {
    steps.push({ name: 'the reconciler refills', take: (next) => beginRefill(next, ITS_REFILL) });
  }
  const isOver = (play: PlayNumber): boolean =>
    plays[play]?.state === 'DONE' ||
    (world.has('repairsDue') && plays[play]?.state === 'DUE' && !isInHand(state, play));
  const isAnyDue = plays.some(({ state: at }) => at === 'DUE');
  if ((isAnyMarked || isAnyDue) && world.has('repairs') && cache.members.some(isOver)) {
    steps.push({
      name: 'the reconciler takes members out',
      take: (next) => {
        next.cache.members = next.cache.members.filter((play) => !isOver(play));
      },
    });
  }
  if (world.has('takesUpMembers')) {
    for (const play of cache.members.filter((member) => plays[member]?.state === 'NEW' && plays[member].ready)) {
      steps.push({ name: `the reconciler takes up ${play}, which has a place`, take: (next) => takeUp(next, play) });
    }
  }
  return steps;
}

function takeUp(next: WindowState, number: PlayNumber): void {
  const play = next.plays[number];
  if (play) play.ready = false;
  next.reissued = number;
}

function lostPlaySteps(state: WindowState, world: WindowWorld): WindowStep[] {
  return [...state.plays.keys()]
    .filter((play) => isLost(state, play, world))
    .map((play) => ({ name: `the reconciler finds ${play} without a job`, take: (next) => goOn(next, play, world) }));
}

/** An open play without a mark and a job that no process is about to ring for. */
function isLost(state: WindowState, number: PlayNumber, world: WindowWorld): boolean {
  const play = state.plays[number];
  const isOpen = play?.state === 'GOING' || (play?.state === 'NEW' && !play.ready && world.has('lostIsFound'));
  if (!isOpen || isInHand(state, number)) return false;
  return !state.jobs.some((job) => job.play === number && job.epoch === play.epoch);
}

/** Some process has the play and goes on with it. */
function isInHand({ accepting, refills, duePass, workers, plays }: WindowState, play: PlayNumber): boolean {
  const at = accepting[play];
  return (
    (at !== 'nothing' && at !== 'insert') ||
    refills.some((refill) => refill && (refill.found.includes(play) || refill.ring.includes(play))) ||
    duePass?.play === play ||
    workers.some((run) => run?.play === play && run.epoch === plays[play]?.epoch)
  );
}

/** One that has begun has its place, if Redis has lost nothing: it is rung for. Any other one leaves its place, and waits. */
function goOn(next: WindowState, number: PlayNumber, world: WindowWorld): void {
  const play = next.plays[number];
  if (!play) return;
  play.epoch += 1;
  if (play.state === 'NEW' && world.has('lostWaits')) {
    next.cache.members = next.cache.members.filter((member) => member !== number);
    play.ready = true;
  } else next.reissued = number;
}
