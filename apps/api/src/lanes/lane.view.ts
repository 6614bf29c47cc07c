import { PLAY_STATES, type PlayError, type PlayState } from '@weft/contracts';
import { isAtStoppedLane } from '@weft/engine';
import type { LaneNow } from '@weft/store';
import * as s from '../http/schema.js';

const LANE_STATES = ['idle', 'running', 'stopped'] as const;

/** The play that has the turn, or gets it next. What belongs to a flow that the caller may not read is null. */
interface LaneHeadView {
  readonly playId: string | null;
  readonly flowId: string | null;
  readonly state: PlayState;
  readonly createdAt: string;
  readonly completedAt: string | null;
  readonly error: PlayError | null;
}

interface LaneWaiterView {
  readonly playId: string | null;
  readonly flowId: string | null;
  readonly createdAt: string;
}

export interface LaneView {
  readonly lane: string;
  readonly state: (typeof LANE_STATES)[number];
  readonly head: LaneHeadView | null;
  /** Counted up to 10,000; null: counting takes too long. */
  readonly waiting: number | null;
  readonly next: readonly LaneWaiterView[];
}

interface ShownLane extends LaneNow {
  readonly lane: string;
}

/** @param readable ids of the plays that the caller may read */
export function toLaneView({ lane, head, waiting, next }: ShownLane, readable: ReadonlySet<string>): LaneView {
  const idsOf = ({ _id, flowId }: { readonly _id: string; readonly flowId: string }) =>
    readable.has(_id) ? { playId: _id, flowId } : { playId: null, flowId: null };
  return {
    lane,
    state: head === null ? 'idle' : isAtStoppedLane(head) ? 'stopped' : 'running',
    head: head && {
      ...idsOf(head),
      state: head.state,
      createdAt: head.createdAt.toISOString(),
      completedAt: head.completedAt?.toISOString() ?? null,
      error: readable.has(head._id) ? (head.error ?? null) : null,
    },
    waiting,
    next: next.map((play) => ({ ...idsOf(play), createdAt: play.createdAt.toISOString() })),
  };
}

const idOrNull = { ...s.textOrNull, description: 'null: of a flow that you may not read.' };

export const laneSchema = s.named(
  'Lane',
  s.object<LaneView>({
    lane: s.text,
    state: {
      ...s.oneOf(LANE_STATES),
      description:
        'running: a play has the turn, or gets it next. stopped: it has failed, and the lane waits until somebody retries or skips it. idle: no play has the turn or waits for it.',
    },
    head: {
      ...s.orNull(
        s.object<LaneHeadView>({
          playId: idOrNull,
          flowId: idOrNull,
          state: s.oneOf(PLAY_STATES),
          createdAt: s.time,
          completedAt: s.timeOrNull,
          error: s.orNull(s.object<PlayError>({ code: s.text, message: s.text, ref: s.textOrNull })),
        }),
      ),
      description: 'The play that has the turn; while none has it, the one that gets it next.',
    },
    waiting: { ...s.integerOrNull, description: 'Plays that wait for their turn, counted up to 10,000.' },
    next: {
      ...s.listOf(s.object<LaneWaiterView>({ playId: idOrNull, flowId: idOrNull, createdAt: s.time })),
      description: 'The first 50 of them, in the order in which they get the turn.',
    },
  }),
);
