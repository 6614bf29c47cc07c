/** The reconciler: finds due plays, refills windows, repairs them, reissues lost plays, and has a window begin anew. */
import { admit, beginRefill, ringFor, type WindowStep, type WindowWorld } from './window-model.js';
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
              ringFor(next, play);
              next.duePass = null;
            },
          };
    return crashesLeft === 0 ? [goesOn] : [goesOn, dueDies];
  }
  if (!world.has('dueFound') && !cache.dueWaits) return [];
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
  const { cache } = next;
  if (!world.has('dueTakesPlace') || cache.members.includes(play)) {
    next.duePass = { at: 'write', play };
  } else if (cache.waiting === 0 && !cache.dueWaits && cache.members.length < world.size) {
    admit(next, play);
    next.duePass = { at: 'write', play };
  } else {
    cache.dueWaits = true;
    cache.isListed = true;
  }
}

function writeDue(next: WindowState, play: PlayNumber): string | void {
  if (next.plays[play]?.state !== 'DUE') {
    next.duePass = null;
    return;
  }
  continueDue(next, play);
  next.duePass = { at: 'ring', play };
  if (!next.cache.members.includes(play) && !next.isWiped) return `play ${play} continues without a place`;
}

export function reconcilerSteps(state: WindowState, world: WindowWorld): WindowStep[] {
  const { reissued } = state;
  if (reissued !== null) {
    const rings: WindowStep = {
      name: `the reconciler rings for ${reissued}`,
      take: (next) => {
        ringFor(next, reissued);
        next.reissued = null;
      },
    };
    return state.crashesLeft === 0 ? [rings] : [rings, reconcilerDies];
  }
  return [...windowSteps(state, world), ...lostPlaySteps(state, world)];
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
  const waitingPlays = [...plays.keys()].filter((play) => plays[play]?.state === 'NEW');
  const isMarked = cache.hasPriorities || cache.reissueUpTo > 0;
  const hasUncounted = waitingPlays.some(
    (play) => world.priorityOf(play) !== 0 && !cache.members.includes(play) && !isInHand(state, play),
  );
  if (world.has('prioritiesMarked') && cache.waiting > 0 && hasUncounted && !isMarked) {
    steps.push({
      name: 'the reconciler notes a priority',
      take: (next) => {
        next.cache.hasPriorities = true;
        next.cache.refusals += 1;
      },
    });
  }
  const isBehind = waitingPlays.some((play) => world.priorityOf(play) !== 0 || play >= cache.cursor);
  const sees = cache.isListed || (world.has('keeperSeesAll') && cache.waiting > 0 && isBehind);
  if (sees && !state.refills[ITS_REFILL]) {
    steps.push({ name: 'the reconciler refills', take: (next) => beginRefill(next, ITS_REFILL) });
  }
  const isOver = (play: PlayNumber): boolean =>
    plays[play]?.state === 'DONE' ||
    (world.has('repairsDue') && plays[play]?.state === 'DUE' && !isInHand(state, play));
  if ((sees || cache.dueWaits) && world.has('repairs') && cache.members.some(isOver)) {
    steps.push({
      name: 'the reconciler takes members out',
      take: (next) => {
        next.cache.members = next.cache.members.filter((play) => !isOver(play));
      },
    });
  }
  return steps;
}

function lostPlaySteps(state: WindowState, world: WindowWorld): WindowStep[] {
  const { cache, plays } = state;
  const lost = [...plays.keys()].filter((play) => isLost(state, play, world));
  const unknown = lost.filter((play) => !isKnown(state, play, world));
  const byCache = world.has('anewByCache');
  // without the rule: as many as fill half of the window, of which a page shows one
  const isAnew = byCache ? unknown.length > 0 : lost.slice(0, 1).length * 2 > world.size;
  const steps: WindowStep[] = [];
  if (isAnew && cache.lock === 0 && !state.refills[ITS_REFILL]) {
    const oldest = (byCache ? unknown[0] : lost[0]) as PlayNumber;
    steps.push({ name: 'the window begins anew', take: (next) => beginAnew(next, oldest, unknown, world) });
  }
  if (!isAnew || !byCache) {
    for (const play of lost) {
      if (byCache && !isKnown(state, play, world)) continue;
      steps.push({ name: `the reconciler reissues ${play}`, take: (next) => reissue(next, play, world) });
    }
  }
  return steps;
}

/** An open play without a job that no process is about to ring for, and that is not simply waiting for its turn. */
function isLost(state: WindowState, number: PlayNumber, world: WindowWorld): boolean {
  const { cache, jobs } = state;
  const play = state.plays[number];
  if (play?.state !== 'NEW' && play?.state !== 'GOING') return false;
  if (jobs.some((job) => job.play === number && job.epoch === play.epoch) || isInHand(state, number)) return false;
  if (play.state === 'GOING' || cache.waiting === 0) return true;
  const isPassed = world.priorityOf(number) === 0 && number < cache.cursor;
  return (
    (world.has('looksBeforeCursor') && isPassed) || (world.has('looksAtMembers') && cache.members.includes(number))
  );
}

/** The cache shows that the play was rung for: it is a member, or the cursor passed it, or it has been reissued. */
function isKnown({ cache, plays }: WindowState, play: PlayNumber, world: WindowWorld): boolean {
  if (cache.members.includes(play) || (plays[play]?.epoch ?? 1) > 1) return true;
  return world.priorityOf(play) === 0 && play < cache.cursor && play >= cache.knownFrom;
}

/** Some process has the play and goes on with it. */
function isInHand({ accepting, refills, duePass, workers, plays }: WindowState, play: PlayNumber): boolean {
  const at = accepting[play];
  return (
    (at !== 'nothing' && at !== 'insert') ||
    refills.some((refill) => refill && (refill.found.includes(play) || refill.due.includes(play))) ||
    duePass?.play === play ||
    workers.some((run) => run?.play === play && run.epoch === plays[play]?.epoch)
  );
}

function beginAnew(next: WindowState, oldest: PlayNumber, unknown: readonly PlayNumber[], world: WindowWorld): void {
  const { cache } = next;
  if (world.priorityOf(oldest) === 0) {
    cache.cursor = cache.exists && cache.cursor > 0 ? Math.min(cache.cursor, oldest) : oldest;
    cache.knownFrom = cache.exists ? Math.min(cache.knownFrom, oldest) : oldest;
  }
  cache.exists = true;
  cache.waiting = Math.max(cache.waiting, 1);
  cache.reissueUpTo = next.plays.length;
  cache.refusals += 1;
  cache.isListed = true;
  cache.hasPriorities = true;
  if (world.has('rewindTakesOut')) cache.members = cache.members.filter((play) => !unknown.includes(play));
  beginRefill(next, ITS_REFILL);
}

function reissue(next: WindowState, number: PlayNumber, world: WindowWorld): string | void {
  const play = next.plays[number];
  if (!play) return;
  const wasKnown = isKnown(next, number, world);
  play.epoch += 1;
  next.reissued = number;
  if (next.cache.members.includes(number)) return;
  admit(next, number);
  if (wasKnown) next.putBack.push(number);
  if (next.waitedAtWipe.includes(number)) return `play ${number} waited and is rung for outside the window's order`;
}
