import type { LayerWait } from '@weft/engine';
import type { mongo } from 'mongoose';

/**
 * A play may wait for megabytes: texts for approvers, names of events. No read of several plays takes all of that; these are the parts
 * of `waits` for their projections.
 */

/** Whether the play waits for anything: `true`, or left out. */
export const HAS_WAITS = { $cond: [{ $gt: ['$waits', null] }, true, '$$REMOVE'] } as const;

/** Of each wait, these fields. @param kinds of these kinds only */
export function eachWait(fields: readonly (keyof LayerWait)[], kinds?: readonly LayerWait['kind'][]): mongo.Document {
  const wait = Object.fromEntries(fields.map((field) => [field, `$$this.v.${field}`]));
  const all = { $objectToArray: '$waits' };
  const input = kinds ? { $filter: { input: all, cond: { $in: ['$$this.v.kind', [...kinds]] } } } : all;
  const waits = { $arrayToObject: { $map: { input, in: { k: '$$this.k', v: wait } } } };
  return { $cond: [{ $eq: [{ $type: '$waits' }, 'object'] }, waits, '$$REMOVE'] };
}

/** Of each answer in the inbox, its size instead of it. */
export const ANSWER_SIZES = {
  $arrayToObject: {
    $map: {
      input: { $objectToArray: { $ifNull: ['$inbox', {}] } },
      in: { k: '$$this.k', v: { $bsonSize: { v: '$$this.v' } } },
    },
  },
} as const;

/** What a retry takes over and refers to: `RetriedPlay`. */
export const TO_RETRY = { log: 0, waits: 0, inbox: 0 } as const;
