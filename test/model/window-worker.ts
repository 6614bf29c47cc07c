/** Workers take jobs, end plays and take them out of the window. Redis loses everything. */
import { beginRefill, type WindowStep, type WindowWorld } from './window-model.js';
import { emptyCache, type WindowState } from './window-state.js';

const WORKERS_REFILL = 0;

export function redisSteps({ wipesLeft, isWiped }: WindowState): WindowStep[] {
  if (wipesLeft === 0 || isWiped) return [];
  return [
    {
      name: 'Redis loses its data',
      take: (next) => {
        next.wipesLeft -= 1;
        next.isWiped = true;
        next.jobs = [];
        next.cache = emptyCache();
      },
    },
  ];
}

export function workerSteps(state: WindowState, world: WindowWorld): WindowStep[] {
  return state.workers.flatMap((run, worker): WindowStep[] => {
    if (!run) return state.jobs.filter(({ takenBy }) => takenBy === 0).map((job) => takeJob(worker, job));
    const dies: WindowStep[] = state.crashesLeft === 0 ? [] : [die(worker)];
    return [...dies, run.at === 'run' ? endPlay(worker, run.play) : leaveWindow(worker, run.play, world)];
  });
}

function takeJob(worker: number, { play, epoch }: WindowState['jobs'][number]): WindowStep {
  return {
    name: `worker ${worker} takes ${play} of epoch ${epoch}`,
    take: (next) => {
      const job = next.jobs.find((each) => each.play === play && each.epoch === epoch);
      if (job) job.takenBy = worker + 1;
      next.workers[worker] = { play, epoch, at: 'run' };
    },
  };
}

function die(worker: number): WindowStep {
  return {
    name: `worker ${worker} dies`,
    take: (next) => {
      next.crashesLeft -= 1;
      for (const job of next.jobs) if (job.takenBy === worker + 1) job.takenBy = 0;
      next.workers[worker] = null;
    },
  };
}

function endPlay(worker: number, play: number): WindowStep {
  return {
    name: `worker ${worker} ends ${play}`,
    take: (next) => {
      const stored = next.plays[play];
      const run = next.workers[worker];
      if (!stored || !run) return;
      const isOpen = stored.state === 'NEW' || stored.state === 'GOING';
      if (!isOpen || stored.epoch !== run.epoch) return finishJob(next, worker);
      stored.state = 'DONE';
      run.at = 'leave';
    },
  };
}

function leaveWindow(worker: number, play: number, { size }: WindowWorld): WindowStep {
  return {
    name: `worker ${worker} takes ${play} out`,
    take: (next) => {
      const { cache } = next;
      cache.members = cache.members.filter((member) => member !== play);
      if (cache.members.length * 2 < size && cache.waits) beginRefill(next, WORKERS_REFILL);
      finishJob(next, worker);
    },
  };
}

function finishJob(next: WindowState, worker: number): void {
  next.jobs = next.jobs.filter(({ takenBy }) => takenBy !== worker + 1);
  next.workers[worker] = null;
}
