import { FINAL_STATES, PLAY_STATES, isFinal, type PlayState } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { FIRST_STATES, PLAY_MOVES, mayMove, type Mover } from './transitions.js';

const movers = Object.keys(PLAY_MOVES) as Mover[];
const after = (from: PlayState) => new Set(movers.flatMap((mover) => PLAY_MOVES[mover][from] ?? []));

function walkFrom(starts: readonly PlayState[]): Set<PlayState> {
  const seen = new Set<PlayState>(starts);
  for (const state of seen) for (const to of after(state)) seen.add(to);
  return seen;
}

describe('the graph of play states', () => {
  it('has no way out of a final state, by anybody, not even to itself', () => {
    for (const from of FINAL_STATES) {
      for (const mover of movers) {
        for (const to of PLAY_STATES) expect(mayMove(mover, from, to), `${mover}: ${from} → ${to}`).toBe(false);
      }
    }
  });

  it('reaches every state from the first ones', () => {
    expect([...walkFrom(FIRST_STATES)].sort()).toEqual([...PLAY_STATES].sort());
  });

  it.each(PLAY_STATES.filter((state) => !isFinal(state)))('lets %s come to DONE and to FAIL', (state) => {
    expect(walkFrom([state])).toContain('DONE');
    expect(after(state)).toContain('FAIL');
  });

  it('is exactly the table of the protocol', () => {
    const table: Record<PlayState, readonly PlayState[]> = {
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
    for (const from of PLAY_STATES) expect([...after(from)].sort(), from).toEqual([...table[from]].sort());
  });

  it('leaves it to the user alone to hold and to release, and to a worker alone to succeed', () => {
    const whoMoves = (to: PlayState) =>
      movers.filter((mover) => Object.values(PLAY_MOVES[mover]).some((states) => states.includes(to)));
    expect(whoMoves('ON_HOLD')).toEqual(['hold']);
    expect(whoMoves('DONE')).toEqual(['worker']);
    expect(movers.filter((mover) => mayMove(mover, 'ON_HOLD', 'RUN'))).toEqual(['release']);
  });
});
