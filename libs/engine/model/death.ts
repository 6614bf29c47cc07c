/** Test only. A worker process dies. */
import type { Worker } from './world-parts.js';
import type { World } from './world.js';

/** What it had sent may still arrive. */
export function dies(world: World, worker: Worker): void {
  keepLocks(world, worker);
  worker.slots.forEach((slot, k) => {
    if (!slot) return;
    world.charge(slot, true);
    if (slot.inFlight) world.orphans.push({ p: slot.p, write: slot.inFlight.write.write });
    worker.slots[k] = null;
  });
  worker.boot += 1;
  worker.frozen = false;
  worker.cut = false;
  worker.unheard = false;
  worker.stopping = false;
}

/** Locks are renewed at half their time, so the last renewal may be that old. */
export function keepLocks(world: World, worker: Worker): void {
  for (const job of world.jobs) {
    if (job.holder && worker.slots.includes(job.holder)) job.lockedUntil = world.now + world.engine.times.lockMs / 2;
  }
}
