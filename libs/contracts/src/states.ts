/** The nine play states of docs/plays.md; layers use the same words except ON_HOLD. */
export const PLAY_STATES = ['NEW', 'RUN', 'DONE', 'FAIL', 'SKIP', 'FILTERED', 'DEFERRED', 'WAIT', 'ON_HOLD'] as const;
export type PlayState = (typeof PLAY_STATES)[number];

export const FINAL_STATES = ['DONE', 'FAIL', 'SKIP', 'FILTERED'] as const;
export type FinalState = (typeof FINAL_STATES)[number];

export type LayerState = 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'WAIT' | 'DEFERRED';

const FINAL: ReadonlySet<string> = new Set(FINAL_STATES);

/** No write changes a play in a final state. */
export function isFinal(state: PlayState): state is FinalState {
  return FINAL.has(state);
}
