import type { RetentionStateDocument } from './retention-state.schema.js';

/** What is remembered of the walk over plays. */
export type Walked = Pick<RetentionStateDocument, 'layersDoneTo' | 'layersLeft' | 'layersAgainFrom' | 'layersAgainAt'>;

/** Plays up to this id need no further look, except those that are left. */
export function walkedTo(state: Walked | null): string {
  return state?.layersAgainFrom ?? state?.layersDoneTo ?? '';
}

/** As if the walk had come no further than to the first play that was not remembered. */
export function walkAgain(state: Walked | null): Walked | null {
  return state && { ...state, layersDoneTo: walkedTo(state), layersAgainFrom: null, layersAgainAt: null };
}
