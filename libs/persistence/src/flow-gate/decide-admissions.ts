/**
 * Who is let into a flow with a concurrency limit. Pure; what it rests on is how it is used: the gate is read before the
 * plays, the new holders are written only over the gate that was read, and only then are the plays admitted.
 */
import { isFinal } from '@weft/contracts';
import type { OpenPlay } from '@weft/engine';

export interface GateView {
  /** Plays that may be in at once. */
  readonly limit: number;
  readonly holders: readonly string[];
  /** Those of the holders that are there still. */
  readonly plays: readonly OpenPlay[];
  /** Queued plays that are not on hold, in order. */
  readonly queue: readonly OpenPlay[];
}

export interface Admissions {
  readonly holders: readonly string[];
  readonly admit: readonly OpenPlay[];
}

/**
 * A holder that is queued still has a place and was not let in: its gatekeeper died, or is about to do it, or looks dead
 * because this read is older than its write. It keeps its place and is admitted again, which at most one of them achieves.
 * Only when it is on hold, and so was seen after whatever another gatekeeper saw, its place is taken back.
 *
 * @returns null when nothing is to change
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
