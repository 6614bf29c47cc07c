/** Test only. The clock moves on, but never past the moment at which a healthy process has to have done something. */
import type { Slot, WorldSteps, Worker } from './world-parts.js';
import { begunAt } from './slot-steps.js';
import type { World } from './world.js';

/** A healthy process takes its next step within this; MongoDB answers it within this. */
const STEP_MS = 50;
const JUMPS_MS = [30, 120, 1_000, 1_700, 5_200, 10_500, 16_000];

export function timeSteps(world: World, { time }: WorldSteps): void {
  const limit = Math.min(...world.workers.filter((worker) => !worker.frozen).map((worker) => deadline(world, worker)));
  let last = world.now;
  for (const jump of JUMPS_MS) {
    const to = Math.min(world.now + jump, limit);
    if (to <= last) break;
    last = to;
    time.push({ what: `${to - world.now} ms pass`, run: () => void (world.now = to) });
  }
}

function deadline(world: World, worker: Worker): number {
  let limit = Infinity;
  for (const slot of worker.slots) if (slot) limit = Math.min(limit, slotDeadline(world, worker, slot));
  return limit;
}

function slotDeadline(world: World, worker: Worker, slot: Slot): number {
  const { times } = world.engine;
  const { session } = slot;
  // who reads late still takes the play while its hand-out is proof
  if (slot.asks && !session && !worker.cut) return slot.takenAt + times.windowMs - STEP_MS;
  const soon = slot.since + STEP_MS;
  const request = slot.inFlight ?? slot.rereadFor ?? slot.renewal;
  if (request !== null || slot.renewalLost || (!session && !slot.dropped)) return worker.cut ? Infinity : soon;
  if (session?.endReason !== null) return soon;
  let limit = Infinity;
  if (session.isClaimed) limit = Math.max(slot.proofAt + times.renewMs, slot.since) + STEP_MS;
  const oldest = session.runningCalls[0];
  if (oldest && !session.isClaimed && !slot.abandoned)
    limit = Math.max(begunAt(slot, oldest.position) + times.lazyMs, slot.since) + STEP_MS;
  if (slot.waitsForTurn) return limit;
  if (slot.rests) return slot.rests.until === null ? limit : Math.min(limit, slot.rests.until + STEP_MS);
  return Math.min(limit, soon);
}
