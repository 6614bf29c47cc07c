/** Test only. Doorbells on their way, and what happens to jobs in Redis. */
import type { WorldSteps } from './world-parts.js';
import type { World } from './world.js';

export function queueSteps(world: World, { work, faults }: WorldSteps): void {
  const { times } = world.engine;
  world.rings.forEach((ring, i) => {
    const gone = () => void (world.rings = world.rings.filter((_, k) => k !== i));
    work.push({
      what: `ring ${ring.p}-${ring.epoch}`,
      run: () => {
        gone();
        const known = world.jobs.some((job) => job.p === ring.p && job.epoch === ring.epoch && !job.isLeftBehind);
        if (known || world.now - ring.askedAt >= times.ringByMs) return;
        world.jobs.push({ p: ring.p, epoch: ring.epoch, attempts: 0, parkings: 0, holder: null, lockedUntil: 0 });
      },
    });
    if (world.budget.ringLost > 0)
      faults.push({
        what: `whoever should ring ${ring.p}-${ring.epoch} dies`,
        run: () => {
          world.budget.ringLost -= 1;
          gone();
        },
      });
  });
  if (world.budget.wipe > 0 && world.jobs.length > 0)
    faults.push({
      what: 'Redis is wiped',
      run: () => {
        world.budget.wipe -= 1;
        world.jobs = [];
      },
    });
  if (world.budget.relabel > 0 && world.jobs.length > 0)
    faults.push({
      what: 'the company gets another label of workers',
      run: () => {
        world.budget.relabel -= 1;
        for (const job of world.jobs) job.isLeftBehind = true;
      },
    });
  for (const job of world.jobs) {
    const { holder } = job;
    if (!holder) continue;
    const worker = world.workers.find((one) => one.slots.includes(holder));
    const name = `${job.p}-${job.epoch}`;
    if (!worker || worker.frozen) {
      if (world.now >= job.lockedUntil)
        work.push({ what: `job ${name} stalled, back to wait`, run: () => void (job.holder = null) });
    } else if (world.budget.lostLock > 0)
      faults.push({
        what: `the lock of job ${name} is lost`,
        run: () => {
          world.budget.lostLock -= 1;
          world.charge(holder, true);
          if (!holder.session?.isClaimed) world.watch.of(job.p).excused = true;
          job.holder = null;
        },
      });
  }
}
