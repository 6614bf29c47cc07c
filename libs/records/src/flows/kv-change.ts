/**
 * Changes of an entry as pipelines: MongoDB decides by its own clock whether the entry is there, and whether this change was
 * made already, in the one write that makes it. Whatever a user says stands inside `$literal`.
 */
import type { mongo } from 'mongoose';

/** More changes of one entry than that between a change and its repetition after a crash, and it would count again. */
const REMEMBERED = 200;
/** Whole numbers are exact up to here. */
export const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

export interface ChangeOf {
  /** Names the change: made once, however often it is asked for. Null: it is not remembered. */
  readonly once: string | null;
  /** For an entry that is not there yet. */
  readonly newId: string;
  /** The entry stays as it is unless it has this version. */
  readonly ifVersion?: number;
}

/** Only if nothing is there. */
export function addAs(value: number | string, ttlMs: number | null, of: ChangeOf): mongo.Document[] {
  return changing(of, { value: { $literal: value }, expiresAt: expiry(ttlMs) }, { result: null, refused: '$is.there' });
}

export function setTo(value: number | string, ttlMs: number | null, of: ChangeOf): mongo.Document[] {
  return changing(of, { value: { $literal: value }, expiresAt: expiry(ttlMs) }, { result: null });
}

/** The time to live counts from the change that made the entry. */
export function countUp(by: number, ttlMs: number | null, of: ChangeOf): mongo.Document[] {
  const sum = { $add: [{ $cond: ['$is.there', '$value', 0] }, { $literal: by }] };
  const isText = { $and: ['$is.there', { $not: { $isNumber: '$value' } }] };
  const fields = { value: '$is.sum', expiresAt: { $cond: ['$is.there', '$expiresAt', expiry(ttlMs)] } };
  return changing(of, fields, {
    result: '$is.sum',
    before: [{ $set: { 'is.sum': { $cond: [isText, null, sum] } } }],
    refused: { $or: [{ $eq: ['$is.sum', null] }, { $gt: [{ $abs: '$is.sum' }, MAX_NUMBER] }] },
  });
}

export function remove(of: ChangeOf): mongo.Document[] {
  return changing(of, { value: null, expiresAt: '$$NOW' }, { result: null });
}

interface Changing {
  /** Remembered with the change. */
  readonly result: unknown;
  readonly before?: readonly mongo.Document[];
  /** The entry stays as it is. */
  readonly refused?: unknown;
}

function changing(
  { once, newId, ifVersion }: ChangeOf,
  fields: mongo.Document,
  { result, before = [], refused = false }: Changing,
): mongo.Document[] {
  const known = once === null ? false : { $in: [{ $literal: once }, { $ifNull: ['$recent.once', []] }] };
  const earlier = { $ifNull: ['$recent', []] };
  const change = { once: { $literal: once }, existed: '$is.there', value: result, updatedAt: UPDATED_AT };
  const recent = once === null ? earlier : { $slice: [{ $concatArrays: [earlier, [change]] }, -REMEMBERED] };
  const changed = {
    ...{ _id: { $ifNull: ['$_id', { $literal: newId }] }, ...fields, updatedAt: UPDATED_AT, recent },
    createdAt: { $cond: ['$is.there', '$createdAt', '$$NOW'] },
  };
  return [
    { $set: { is: { there: IS_THERE, known } } },
    ...before,
    {
      $replaceWith: {
        $cond: [
          { $or: ['$is.known', refused, otherThan(ifVersion)] },
          '$$ROOT',
          { $mergeObjects: ['$$ROOT', changed] },
        ],
      },
    },
    { $unset: 'is' },
  ];
}

/** `$gt` over a missing value is false: an upsert begins with nothing but company and key. */
const IS_THERE = {
  $and: [{ $gt: ['$value', null] }, { $or: [{ $eq: ['$expiresAt', null] }, { $gt: ['$expiresAt', '$$NOW'] }] }],
};

/** The version of an entry is the time of its change in ms; one that comes in the same ms, or while the clock is behind, is 1 ms later. */
const UPDATED_AT = {
  $cond: [
    { $gte: ['$updatedAt', '$$NOW'] },
    { $dateAdd: { startDate: '$updatedAt', unit: 'millisecond', amount: 1 } },
    '$$NOW',
  ],
};

function otherThan(version: number | undefined): unknown {
  if (version === undefined) return false;
  return { $not: { $and: ['$is.there', { $eq: ['$updatedAt', new Date(version)] }] } };
}

function expiry(ttlMs: number | null): unknown {
  return ttlMs === null ? null : { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount: ttlMs } };
}
