import type { PlayState } from '@weft/contracts';

/**
 * What may be stored after what, written down a second time from the protocol (§10): the product's own table must not be the
 * judge of the product.
 */
const MOVES: Readonly<Record<PlayState, readonly PlayState[]>> = {
  NEW: ['RUN', 'WAIT', 'DEFERRED', 'DONE', 'FAIL', 'FILTERED', 'ON_HOLD'],
  RUN: ['WAIT', 'DEFERRED', 'DONE', 'FAIL', 'FILTERED', 'ON_HOLD'],
  WAIT: ['RUN', 'ON_HOLD', 'FAIL'],
  DEFERRED: ['RUN', 'ON_HOLD', 'FAIL'],
  ON_HOLD: ['NEW', 'RUN', 'WAIT', 'DEFERRED', 'FAIL'],
  DONE: [],
  FAIL: [],
  SKIP: [],
  FILTERED: [],
};

export function isLegal(from: PlayState, to: PlayState): boolean {
  return from === to || MOVES[from].includes(to);
}

export function isOver(state: PlayState): boolean {
  return MOVES[state].length === 0;
}
