/** Which plays a list shows, as a filter of MongoDB. Each condition has an index that makes a list of few plays short (`play.schema.ts`). */
import type { PlayState, PlayTrigger } from '@weft/contracts';
import type { Play, StoredLabels } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import type { mongo } from 'mongoose';
import type { TenantScope } from '../../scope.js';
import { IS_PARKED, LISTED_STATES, LISTED_TRIGGERS } from '../play.schema.js';
import { lateSince, youngSince, type LateMove } from './late-moves.js';

/** Whose plays a caller sees in lists: of all flows but some, or of some only. */
export type FlowChoice = { readonly except: readonly string[] } | { readonly only: readonly string[] };

export interface PlayFilter {
  readonly flowId?: string;
  /** Flows whose plays the caller sees. */
  readonly flows?: FlowChoice;
  readonly states?: readonly PlayState[];
  /** `createdAt` from here on … */
  readonly from?: Date;
  /** … and before here. */
  readonly to?: Date;
  /** `completedAt` likewise: of plays that have ended. */
  readonly endedFrom?: Date;
  readonly endedTo?: Date;
  readonly errorCode?: string;
  /** All of these, as plays store them. */
  readonly labels?: StoredLabels;
  /** Plays that pause before they call a layer again. */
  readonly retrying?: boolean;
  /** Failed plays of chains that a retry has brought to a good end, or all others. The chains are named by their first plays. */
  readonly mended?: { readonly isMended: boolean; readonly chains: readonly string[] };
  readonly idempotencyKey?: string;
  /** Whose key begins with it. */
  readonly idempotencyKeyPrefix?: string;
  readonly trigger?: PlayTrigger;
  /** One of these. */
  readonly triggers?: readonly PlayTrigger[];
  /** Plays that this user started. */
  readonly triggeredBy?: string;
}

/** An id begins with the time at which it was made, which may precede the accept (a slot that a schedule missed, a bulk operation) … */
const ID_BEFORE_ACCEPT_MS = 2 * 24 * 3_600_000;
/** … of a run over the API by as much as clocks differ and an insert may wait … */
const ID_BEFORE_API_RUN_MS = 5 * 60_000;
/** … and follow it by as much as clocks differ. */
const ID_AFTER_ACCEPT_MS = 60_000;
const FAILED: readonly PlayState[] = ['FAIL'];
const LAST_ID_MS = 2 ** 48 - 1;

/** `awaitsRetry` of a row, asked where the play is stored: what it waits for can be long. */
export const AWAITS_RETRY = {
  $in: ['retry', { $map: { input: { $objectToArray: { $ifNull: ['$waits', {}] } }, in: '$$this.v.kind' } }],
} as const;

export type Condition = mongo.Filter<Play & LateMove>;

/**
 * The filter of a list that is read in the order of ids. With times, only plays that can be of that range are read.
 *
 * @param more conditions besides. They belong in here and not around it: MongoDB plans a part of a filter by no partial index
 */
export function toPlayQuery(
  scope: TenantScope,
  filter: PlayFilter,
  more: readonly Condition[] = [],
): mongo.Filter<Play> {
  return either(partsOf(filter).map((part) => queryOf(scope, part, more)));
}

/** The same plays, in parts of which each has an index that reads little else. */
function partsOf(filter: PlayFilter): readonly PlayFilter[] {
  return [filter].flatMap(byStates).flatMap(byTriggers);
}

/** What nobody has begun has an index of its own. */
function byStates(filter: PlayFilter): readonly PlayFilter[] {
  const { states } = filter;
  const others = states?.filter((state) => state !== 'NEW') ?? [];
  const isSplit = states?.includes('NEW') && others.length > 0 && areListed(others);
  return isSplit
    ? [
        { ...filter, states: ['NEW'] },
        { ...filter, states: others },
      ]
    : [filter];
}

/** Most plays are run over the API, whose ids are as old as they are; those of others may be older. */
function byTriggers(filter: PlayFilter): readonly PlayFilter[] {
  const { from, trigger } = filter;
  if (!from || trigger !== undefined) return [filter];
  return [
    { ...filter, trigger: 'api' },
    { ...filter, triggers: LISTED_TRIGGERS },
  ];
}

function either(queries: readonly mongo.Filter<Play>[]): mongo.Filter<Play> {
  const [only] = queries;
  return only !== undefined && queries.length === 1 ? only : { $or: [...queries] };
}

function queryOf(scope: TenantScope, filter: PlayFilter, more: readonly Condition[]): mongo.Filter<Play> {
  const { flowId, flows, idempotencyKey, idempotencyKeyPrefix: prefix } = filter;
  const { trigger, triggers, triggeredBy, errorCode, retrying, labels, mended } = filter;
  // what an error has ended is FAIL, which MongoDB has to read to take an index over failed plays
  const states = filter.states ?? (errorCode === undefined ? undefined : FAILED);
  const all = [...acceptedIn(filter), ...endedIn(filter), ...(retrying ? [PAUSES] : []), ...more];
  if (mended) all.push(mendedAre(mended));
  // word for word what the indexes over some states have: MongoDB (6.0) does not see that they have all of a list of several
  if (states && states.length > 1 && areListed(states)) all.push({ state: { $in: [...LISTED_STATES] } });
  if (prefix !== undefined) all.push({ idempotencyKey: { $gte: prefix, $lt: `${prefix}\u{10FFFF}` } });
  return {
    company_id: scope.companyId,
    ...(flowId !== undefined && { flowId }),
    ...(flowId === undefined && flows && ofFlows(flows)),
    ...(states !== undefined && ofStates(states)),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(trigger !== undefined && { trigger }),
    ...(triggers !== undefined && { trigger: { $in: [...triggers] } }),
    ...(triggeredBy !== undefined && { triggeredBy }),
    ...(errorCode !== undefined && { 'error.code': errorCode }),
    ...(labels && labels.length > 0 && { labels: { $all: [...labels] } }),
    ...(all.length > 0 && { $and: all }),
  };
}

/**
 * A filter for the same plays that reads only those which can have ended since `endedFrom`, in no order. No index has the time
 * of the end, which each play would pay for (ADR 63): what ended since then was young when it did, so that its id is not much
 * older, or bears the mark of a late move. Each of the two is a whole filter: MongoDB plans a part of one by no partial index.
 */
export function toEndedQuery(
  scope: TenantScope,
  filter: PlayFilter,
  more: readonly Condition[] = [],
): mongo.Filter<Play> {
  const { endedFrom, endedTo } = filter;
  if (!endedFrom) return toPlayQuery(scope, filter, more);
  const young: Condition = { _id: { $gt: youngSince(endedFrom.getTime()) } };
  const late: Condition = { movedAt: { $exists: true, ...lateSince(endedFrom, endedTo) } };
  const parts = [young, late].flatMap((one) => partsOf(filter).map((part) => queryOf(scope, part, [one, ...more])));
  return { $or: parts };
}

function areListed(states: readonly PlayState[]): boolean {
  return states.every((state) => LISTED_STATES.includes(state));
}

function acceptedIn({ from, to, trigger }: PlayFilter): Condition[] {
  if (!from && !to) return [];
  const beforeMs = trigger === 'api' ? ID_BEFORE_API_RUN_MS : ID_BEFORE_ACCEPT_MS;
  return [
    {
      createdAt: between(from, to),
      _id: {
        ...(from && { $gt: idAt(from.getTime() - beforeMs) }),
        ...(to && { $lte: idAt(to.getTime() + ID_AFTER_ACCEPT_MS) }),
      },
    },
  ];
}

function endedIn({ endedFrom, endedTo }: PlayFilter): Condition[] {
  if (!endedFrom && !endedTo) return [];
  const upTo = endedTo && { _id: { $lte: idAt(endedTo.getTime() + ID_AFTER_ACCEPT_MS) } };
  return [{ completedAt: between(endedFrom, endedTo), ...upTo }];
}

function between(from: Date | undefined, to: Date | undefined): { $gte?: Date; $lt?: Date } {
  return { ...(from && { $gte: from }), ...(to && { $lt: to }) };
}

/** `tries` names the few plays with failed calls, and has an index; of them, those whose layer waits for its next call. */
const PAUSES: Condition = {
  ...IS_PARKED,
  tries: { $exists: true },
  $expr: AWAITS_RETRY,
};

function mendedAre({ isMended, chains }: NonNullable<PlayFilter['mended']>): Condition {
  const of = [{ _id: { $in: [...chains] } }, { 'chain.first': { $in: [...chains] } }];
  const mended = { state: 'FAIL', $or: of } as Condition;
  return isMended ? mended : { $nor: [mended] };
}

/** One state by itself: MongoDB (6.0) does not see that an index over some states has all of a list of them. */
function ofStates(states: readonly PlayState[]): mongo.Filter<Play> {
  const [only] = states;
  if (only === undefined || states.length > 1) return { state: { $in: [...states] } };
  // what nobody has begun is in the index over heartbeats, which has open plays only
  return only === 'NEW' ? { state: only, heartbeatAt: { $exists: true } } : { state: only };
}

function idAt(epochMs: number): string {
  return lastIdAt(Math.min(Math.max(epochMs, 0), LAST_ID_MS));
}

/** Of these flows, by the caller's rights. */
export function ofFlows(flows: FlowChoice): mongo.Filter<Play> {
  if ('only' in flows) return { flowId: { $in: [...flows.only] } };
  return flows.except.length === 0 ? {} : { flowId: { $nin: [...flows.except] } };
}
