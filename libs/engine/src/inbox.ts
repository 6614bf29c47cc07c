/** Answers in a play's inbox that wait for their layers, and those among them that are in the payload store. */
import type { PlayState } from '@weft/contracts';
import type { PayloadRef, Play } from './play.js';

/** An answer whose payload is in the payload store. */
export interface ReferredAnswer {
  readonly payloadRef: PayloadRef;
}

/** The first form of a stored play whose readers know `ReferredAnswer`. */
export const REFERRED_ANSWERS_SINCE = 2;

export function isReferredAnswer(answer: unknown): answer is ReferredAnswer {
  return typeof answer === 'object' && answer !== null && 'payloadRef' in answer;
}

/**
 * Whether whoever runs the play next knows such answers. A worker of the version before does not; it may run a play that is not
 * parked, and takes none that says so in its `schemaVersion`.
 */
export function takesReferredAnswers({ state, held, schemaVersion }: Pick<Play, 'state' | 'held' | 'schemaVersion'>) {
  return schemaVersion >= REFERRED_ANSWERS_SINCE || isParked(state) || (state === 'ON_HOLD' && isParked(held));
}

/** No worker has it. */
export function isParked(state: PlayState | undefined): boolean {
  return state === 'WAIT' || state === 'DEFERRED';
}
