/**
 * Decides which plays are admitted to a flow with a concurrency limit. Pure. It relies on its caller: the gate is read
 * before the plays, the new holders are written only over the gate that was read, and only then are the plays admitted.
 */
import { isFinal } from '@weft/contracts';
import type { OpenPlay } from '@weft/engine';

export interface GateView {
  /** The most plays that may be admitted at a time. */
  readonly limit: number;
  readonly holders: readonly string[];
  /** Those of the holders that still exist. */
  readonly plays: readonly OpenPlay[];
  /** Queued plays that are not on hold, in order. */
  readonly queue: readonly OpenPlay[];
}

export interface Admissions {
  readonly holders: readonly string[];
  readonly admit: readonly OpenPlay[];
}

/**
 * A holder that is still queued was added to the gate and not admitted: its gatekeeper died, or is about to admit it, or
 * seems dead because this read is older than its write. It keeps its room and is admitted again; only one of the two writes
 * succeeds. Only when it is on hold, and so was read later than by any other gatekeeper, it leaves the gate.
 *
 * @returns null when nothing has to change
 */
export function decideAdmissions({ limit, holders, plays, queue }: GateView): Admissions | null {
  const placed = plays.filter(isPlaced);
  const keeping = new Set([...plays.filter(isInside), ...placed].map((play) => play._id));
  const kept = holders.filter((id) => keeping.has(id));
  const next = queue.filter((play) => !keeping.has(play._id)).slice(0, Math.max(0, limit - kept.length));
  const admit = [...placed, ...next];
  if (admit.length === 0 && kept.length === holders.length) return null;
  return { holders: [...kept, ...next.map((play) => play._id)], admit };
}

function isInside(play: OpenPlay): boolean {
  return !isFinal(play.state) && !play.queued;
}

function isPlaced(play: OpenPlay): boolean {
  return play.state === 'DEFERRED' && play.queued === true;
}
