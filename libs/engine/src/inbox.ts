/** Answers in a play's inbox that wait for their layers, and those among them that are in the payload store. */
import type { PlayState } from '@weft/contracts';
import type { PayloadRef } from './play.js';

/** An answer whose payload is in the payload store. */
export interface ReferredAnswer {
  readonly payloadRef: PayloadRef;
}

export function isReferredAnswer(answer: unknown): answer is ReferredAnswer {
  return typeof answer === 'object' && answer !== null && 'payloadRef' in answer;
}

/** No worker has it. */
export function isParked(state: PlayState | undefined): boolean {
  return state === 'WAIT' || state === 'DEFERRED';
}
