/**
 * Lanes: of the plays of a lane one at a time has the turn, in the order of acceptance (ADR 98). A play waits for its turn first, and
 * for room in its flow's gate after that: in this order for every play, so that no two wait for each other unless they also wait for
 * plays that they start (docs/lanes.md "Plays that start plays").
 */
import type { Play } from './play.js';

export interface LaneRequest {
  readonly name: string;
  /** The lane stops when the play FAILs during its turn. */
  readonly stopsOnFail?: boolean;
  /** Of a retry that takes the place of the failed play: that play's; default: MongoDB gives one. */
  readonly order?: object;
}

/** A name has no more characters. */
export const MAX_LANE = 255;

/** What is wrong with a name, in words; null: nothing. */
export function laneFault(name: unknown): string | null {
  if (typeof name !== 'string' || name.length === 0 || name.length > MAX_LANE)
    return `a lane is a text of 1 to ${MAX_LANE} characters`;
  return name.includes('\0') ? 'a lane must not contain the character NUL' : null;
}

/** What a play of a lane is inserted with. */
export function laneFields({ name, stopsOnFail, order }: LaneRequest): Pick<Play, 'lane' | 'laneStops' | 'laneOrder'> {
  return { lane: name, ...(stopsOnFail && { laneStops: true }), ...(order && { laneOrder: order }) };
}

/** The queue that a play joins first. */
export function queuedFields({ inLane }: { readonly inLane: boolean }): Pick<Play, 'queued' | 'laneQueued'> {
  return inLane ? { laneQueued: true } : { queued: true };
}

/** Whether it has yet to wait for its turn. */
export function awaitsTurn({ lane, laneTurn }: Pick<Play, 'lane' | 'laneTurn'>): boolean {
  return lane !== undefined && !laneTurn;
}

/** Whether the lane goes no further than this play, which has its turn, until somebody retries or skips it. */
export function stopsLane({ state, laneStops }: Pick<Play, 'state' | 'laneStops'>): boolean {
  return state === 'FAIL' && laneStops === true;
}
