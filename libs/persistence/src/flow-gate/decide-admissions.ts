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
 * A holder whose play is still queued was never let in (its gatekeeper died, or a hold came between): it gives its place
 * back, and gets one again when it is its turn.
 *
 * @returns null when nothing is to change
 */
export function decideAdmissions({ limit, holders, plays, queue }: GateView): Admissions | null {
  const inside = new Set(plays.filter(isInside).map((play) => play._id));
  const kept = holders.filter((id) => inside.has(id));
  const admit = queue.slice(0, Math.max(0, limit - kept.length));
  if (admit.length === 0 && kept.length === holders.length) return null;
  return { holders: [...kept, ...admit.map((play) => play._id)], admit };
}

function isInside(play: OpenPlay): boolean {
  return !isFinal(play.state) && !play.queued;
}
