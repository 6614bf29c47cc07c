/** Test only. Worker processes: taking jobs, dying, freezing, being cut off and being asked to stop. */
import { dies, keepLocks } from './death.js';
import { slotSteps } from './slot-steps.js';
import type { Slot, WorldSteps, Worker } from './world-parts.js';
import type { World } from './world.js';

export function workerSteps(world: World, steps: WorldSteps): void {
  for (const worker of world.workers) {
    faultSteps(world, worker, steps);
    if (worker.frozen) {
      frozenSteps(world, worker, steps);
      continue;
    }
    if (worker.cut)
      steps.time.push({
        what: `W${worker.index} reaches MongoDB again`,
        run: () => {
          worker.cut = false;
          wake(world, worker);
        },
      });
    if (worker.unheard && !worker.cut)
      steps.work.push({
        what: `a majority answers a write of W${worker.index} to the new primary`,
        run: () => void (worker.unheard = false),
      });
    if (worker.stopping && worker.slots.every((slot) => slot === null))
      steps.work.push({
        what: `W${worker.index} ends and is started again`,
        run: () => {
          worker.boot += 1;
          worker.stopping = false;
        },
      });
    takeSteps(world, worker, steps);
    worker.slots.forEach((slot, k) => {
      if (slot) slotSteps(world, worker, slot, k, steps);
    });
  }
  world.orphans.forEach((orphan) => {
    const leaves = () => void (world.orphans = world.orphans.filter((one) => one !== orphan));
    steps.work.push({
      what: `a late write of ${orphan.p} arrives`,
      run: () => {
        leaves();
        world.table.write(orphan.p, orphan.write, 'worker');
        for (const child of world.children) child.unseen ||= child.p === orphan.p;
      },
    });
    steps.work.push({ what: `a late write of ${orphan.p} is lost`, run: leaves });
  });
}

function faultSteps(world: World, worker: Worker, { faults }: WorldSteps): void {
  const { budget } = world;
  const busy = worker.slots.some((slot) => slot !== null);
  if (!busy) return;
  const strikes = (fault: keyof typeof budget, what: string, run: () => void) => {
    if (budget[fault] <= 0) return;
    faults.push({
      what: `W${worker.index} ${what}`,
      run: () => {
        budget[fault] -= 1;
        run();
      },
    });
  };
  strikes('crash', 'crashes', () => dies(world, worker));
  if (worker.frozen) return;
  strikes('freeze', 'freezes', () => {
    worker.frozen = true;
    for (const slot of worker.slots) if (slot) world.charge(slot, true);
    keepLocks(world, worker);
  });
  if (!worker.cut)
    strikes('cut', 'is cut off from MongoDB', () => {
      worker.cut = true;
      for (const slot of worker.slots) if (slot) world.charge(slot, true);
    });
  if (!worker.unheard) strikes('failover', 'finds a new primary', () => void (worker.unheard = true));
  if (!worker.stopping)
    strikes('stop', 'is told to stop', () => {
      worker.stopping = true;
      for (const slot of worker.slots) {
        if (!slot) continue;
        slot.since = world.now;
        slot.rests = null;
      }
    });
}

function frozenSteps(world: World, worker: Worker, { time }: WorldSteps): void {
  time.push({
    what: `W${worker.index} thaws`,
    run: () => {
      worker.frozen = false;
      wake(world, worker);
    },
  });
}

function wake(world: World, worker: Worker): void {
  for (const slot of worker.slots) if (slot) slot.since = world.now;
}

function takeSteps(world: World, worker: Worker, { work }: WorldSteps): void {
  const free = worker.slots.indexOf(null);
  if (free < 0 || worker.stopping) return;
  for (const job of world.jobs) {
    if (job.holder) continue;
    work.push({
      what: `W${worker.index} takes job ${job.p}-${job.epoch}`,
      run: () => {
        job.attempts += 1;
        world.owners += 1;
        const slot: Slot = {
          p: job.p,
          epoch: job.epoch,
          owner: `W${worker.index}.${worker.boot}:${world.owners}`,
          redelivered: job.attempts > 1,
          takenAt: world.now,
          asks: null,
          session: null,
          suspect: null,
          waitsForTurn: false,
          dropped: false,
          proofAt: world.now,
          inFlight: null,
          rereadFor: null,
          renewal: null,
          renewalLost: false,
          proving: false,
          asked: new Map(),
          touching: new Set(),
          unsent: new Map(),
          steppers: new Map(),
          abandoned: false,
          rests: null,
          since: world.now,
        };
        job.holder = slot;
        worker.slots[free] = slot;
      },
    });
  }
}
