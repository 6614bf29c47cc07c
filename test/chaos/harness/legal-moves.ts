import type { PlayState } from '@weft/contracts';

/**
 * Which state may follow which, written a second time from docs/protocol.md §10: a test must not use the product's own table
 * to judge the product.
 */
const MOVES: Readonly<Record<PlayState, readonly PlayState[]>> = {
  NEW: ['RUN', 'WAIT', 'DEFERRED', 'DONE', 'FAIL', 'FILTERED', 'SKIP', 'ON_HOLD'],
  RUN: ['WAIT', 'DEFERRED', 'DONE', 'FAIL', 'FILTERED', 'SKIP', 'ON_HOLD'],
  WAIT: ['RUN', 'ON_HOLD', 'FAIL'],
  DEFERRED: ['RUN', 'ON_HOLD', 'FAIL', 'SKIP'],
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
