import { PLAY_STATES, type PlayState } from '@weft/contracts';
import * as s from '../../http/schema.js';

/** Why a play does not go on. Reasons of later versions may be added. */
export const WAITING_REASONS = [
  'window',
  'gate',
  'due',
  'retry',
  'delay',
  'event',
  'approval',
  'child',
  'hold',
  'no_worker',
  'destination_down',
  'rate_limit',
  'lane',
] as const;
export type WaitingReason = (typeof WAITING_REASONS)[number];

/** Fields that do not apply are null. */
export interface WaitingView {
  readonly state: PlayState;
  readonly reason: WaitingReason | null;
  readonly message: string;
  /** The layer that waits. */
  readonly ref: string | null;
  readonly since: string | null;
  /** When it goes on at the latest, or by itself. */
  readonly until: string | null;
  readonly attempt: number | null;
  readonly attempts: number | null;
  /** In the queue, from 1. */
  readonly position: number | null;
  readonly ahead: number | null;
  readonly limit: number | null;
}

export const waitingSchema = s.named(
  'PlayWaiting',
  s.object<WaitingView>({
    state: s.oneOf(PLAY_STATES),
    reason: s.orNull(s.oneOf(WAITING_REASONS)),
    message: { ...s.text, description: 'One sentence for people.' },
    ref: { ...s.textOrNull, description: 'The layer that waits.' },
    since: s.timeOrNull,
    until: { ...s.timeOrNull, description: 'When the wait ends by itself; null: never, or when it is its turn.' },
    attempt: { ...s.integerOrNull, description: 'Of a retry: the attempt that comes next.' },
    attempts: { ...s.integerOrNull, description: 'Of a retry: the attempts in all.' },
    position: { ...s.integerOrNull, description: 'In the queue, from 1; null when it is over 10,000.' },
    ahead: { ...s.integerOrNull, description: 'Plays of the company before this one, counted up to 10,000.' },
    limit: {
      ...s.integerOrNull,
      description: 'How many the flow, the lane or the window of the company lets run at once.',
    },
  }),
);
