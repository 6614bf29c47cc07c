/**
 * Which stored state may follow which, and by whose hand: docs/protocol.md §10, as data. One write may pass through states that
 * are never stored (NEW → DONE shows RUN in the log). Says nothing about who wins a race: the writes' filters do that.
 */
import { isFinal, type PlayState } from '@weft/contracts';

/** Who moves plays. `cancel` is the time limit, too; `reconcile` raises, reaps, and wakes what is due. */
export type Mover = 'worker' | 'hold' | 'release' | 'cancel' | 'resume' | 'reconcile';

type Moves = Readonly<Partial<Record<PlayState, readonly PlayState[]>>>;

/** The states that a play may be stored in first. */
export const FIRST_STATES = ['NEW', 'DEFERRED', 'SKIP'] as const satisfies readonly PlayState[];

export const PLAY_MOVES: Readonly<Record<Mover, Moves>> = {
  worker: {
    NEW: ['RUN', 'WAIT', 'DEFERRED', 'DONE', 'FAIL', 'FILTERED', 'SKIP'],
    RUN: ['WAIT', 'DEFERRED', 'DONE', 'FAIL', 'FILTERED', 'SKIP'],
    ON_HOLD: ['FAIL'],
  },
  hold: { NEW: ['ON_HOLD'], RUN: ['ON_HOLD'], WAIT: ['ON_HOLD'], DEFERRED: ['ON_HOLD'] },
  release: { ON_HOLD: ['NEW', 'RUN', 'WAIT', 'DEFERRED'] },
  cancel: { NEW: ['FAIL'], RUN: ['FAIL'], WAIT: ['FAIL'], DEFERRED: ['FAIL'], ON_HOLD: ['FAIL'] },
  resume: { WAIT: ['RUN'], DEFERRED: ['RUN'] },
  reconcile: { NEW: ['SKIP'], RUN: ['FAIL', 'SKIP'], WAIT: ['RUN'], DEFERRED: ['RUN', 'SKIP'] },
};

/** A write that leaves an open play's state as it is moves nothing, and is anybody's; a final play takes no write at all. */
export function mayMove(mover: Mover, from: PlayState, to: PlayState): boolean {
  if (from === to) return !isFinal(from);
  return PLAY_MOVES[mover][from]?.includes(to) ?? false;
}
