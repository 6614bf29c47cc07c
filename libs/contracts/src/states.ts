/** The nine play states of specification §3; layers use the same words except ON_HOLD. */
export const PLAY_STATES = ['NEW', 'RUN', 'DONE', 'FAIL', 'SKIP', 'FILTERED', 'DEFERRED', 'WAIT', 'ON_HOLD'] as const;
export type PlayState = (typeof PLAY_STATES)[number];

export const FINAL_STATES = ['DONE', 'FAIL', 'SKIP', 'FILTERED'] as const;
export type FinalState = (typeof FINAL_STATES)[number];

export type LayerState = 'NEW' | 'RUN' | 'DONE' | 'FAIL' | 'SKIP' | 'FILTERED' | 'WAIT' | 'DEFERRED';

const FINAL: ReadonlySet<string> = new Set(FINAL_STATES);

/** Final stays final: no write, by anybody, changes such a play. */
export function isFinal(state: PlayState): state is FinalState {
  return FINAL.has(state);
}
