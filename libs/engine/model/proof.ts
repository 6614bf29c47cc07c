/** Test only. Whether a worker still has proof that it owns a play. */
import type { Session } from '../src/session/session.js';
import type { Slot } from './world-parts.js';
import type { World } from './world.js';

/** By true time, whatever the process has done since (docs/protocol.md §3, rule 4). */
export function isProofFresh({ engine, now }: World, slot: Slot, { isClaimed }: Session): boolean {
  const { windowMs, leaseMs, leaseMarginMs } = engine.times;
  return isClaimed ? now - slot.proofAt < leaseMs - leaseMarginMs : now - slot.takenAt < windowMs;
}
