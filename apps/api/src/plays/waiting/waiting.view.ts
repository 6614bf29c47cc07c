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

/** What may hold a play up that is not its own doing. */
export const CHAIN_WAITS = ['turn', 'child', 'event', 'approval'] as const;
export type ChainWait = (typeof CHAIN_WAITS)[number];

/** A play of the chain. Ids of a play that the caller may not read are null, and its queue is left out. */
export interface WaitChainEntry {
  readonly playId: string | null;
  readonly flowId: string | null;
  /** Null: it waits for none of these, so the chain ends with it. */
  readonly waitsFor: ChainWait | null;
  /** Of a turn: `lane:<name>`, or `flow:<id>` of a flow with a concurrency limit, `flow:<id>:<key>` if the limit has a key. */
  readonly queue?: string;
}

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
  /** From this play on, who waits for whom; empty when it waits for none of `CHAIN_WAITS`. */
  readonly chain: readonly WaitChainEntry[];
  /** The last play of the chain was named before: these plays wait for each other. */
  readonly circle: boolean;
}

const chainEntrySchema = s.named(
  'WaitChainEntry',
  s.object<WaitChainEntry>(
    {
      playId: { ...s.textOrNull, description: 'null: the caller may not read the play.' },
      flowId: s.textOrNull,
      waitsFor: {
        ...s.orNull(s.oneOf(CHAIN_WAITS)),
        description: 'What the play waits for; null: none of these, so the chain ends with it.',
      },
      queue: {
        ...s.text,
        description:
          'Of a turn: `lane:<name>`, or `flow:<id>` of a flow with a concurrency limit, `flow:<id>:<key>` if the limit has a key.',
      },
    },
    ['queue'],
  ),
);

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
    chain: {
      ...s.listOf(chainEntrySchema),
      description:
        'Who waits for whom, from this play on, at most 50 plays: after each the one that holds it up, of several one that goes on by itself. Empty when this play waits for no turn, child, event or approval.',
    },
    circle: {
      ...s.flag,
      description:
        'The last play of the chain is one that it has named before: they wait for each other, until a time limit or a person ends one of them.',
    },
  }),
);
