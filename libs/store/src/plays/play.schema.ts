import { PLAY_TRIGGERS, type PlayState } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { Schema } from 'mongoose';

export const PLAYS = 'plays';
/** Else MongoDB weighs the indexes of the other conditions, for updates each time anew, which takes it a sixth more. */
export const BY_ID = { _id: 1 } as const;
/** Name of the index that binds an idempotency key to one play. */
export const BINDING_KEY = 'binding_key';
/** Name of the index that keeps a play from having two retries. */
export const CHAIN = 'chain';
/** Name of the index over the plays that a layer has started, or the items of its loop. */
export const CHILDREN = 'children';
/** Names of the indexes that give each place to one play: in a chain of retries, as the child of a layer, or of an item of a loop. */
export const PLACES: readonly string[] = [CHAIN, CHILDREN];
/** Name of the index over retries that have done what the plays before them had failed to do. */
export const MENDED = 'mended';
/** Name of the index over failed plays whose failure is still to start a play. */
export const PENDING_FAILURES = 'pending_failures';

/** Name of the index over failed plays at which a lane has stopped. */
export const STOPPED_LANES = 'stopped_lanes';
/** A lane is stopped at it, until somebody retries or skips it. */
export const AT_STOPPED_LANE = { state: 'FAIL', turns: { $exists: true } } as const;

/** NEW plays that wait for room in their company's window: nobody has rung for them under their epoch. */
export const WAITS_FOR_ROOM = { ready: true, state: 'NEW' } as const;

const PARKED_STATES: PlayState[] = ['DEFERRED', 'WAIT'];
/** No worker has it: it waits for a time, a turn, an answer or another play. */
export const IS_PARKED = { state: { $in: PARKED_STATES } };
/** Parked plays whose time has come by then. */
export const dueUntil = (until: Date) => ({ dueAt: { $lte: until }, ...IS_PARKED });

/** Name of the index over plays with labels. */
export const COMPANY_LABELS = 'company_labels';
/** Name of the index over the plays that wait for turns. */
export const QUEUES = 'queues';
/** Name of the index that gives each turn to one play. */
export const TURNS = 'turns';
/** Name of the index over plays that miss nothing but room in their company's window. */
export const READY = 'ready';
/** Name of the index over what is due, of all companies. */
export const DUE = 'due';
/** Name of the index over ended plays for which the layers that have started them still wait. */
export const ENDED_CHILDREN = 'ended_children';

/** All but those of plays that nobody has begun, and of most plays that have ended: a list of these is dense where it is long. */
export const LISTED_STATES: readonly PlayState[] = ['RUN', 'WAIT', 'DEFERRED', 'ON_HOLD', 'FAIL', 'FILTERED', 'SKIP'];
/** As a retry ends that has done what the plays before it had failed to do. */
export const MENDING_STATES: readonly PlayState[] = ['DONE', 'FILTERED'];
/** Of plays that may not have begun yet. */
export const UNBEGUN_STATES: readonly PlayState[] = ['NEW', 'RUN', 'DEFERRED'];
/** All but the API, which sets off most plays: a list of those needs no index of its own. */
export const LISTED_TRIGGERS = PLAY_TRIGGERS.filter((trigger) => trigger !== 'api');

/** Of a log, for projections: when the play began. */
export const FIRST_MOVE_TO_RUN = {
  $slice: [
    {
      $filter: {
        input: '$log',
        cond: { $and: [{ $eq: ['$$this.type', 'state'] }, { $eq: ['$$this.state', 'RUN'] }] },
      },
    },
    1,
  ],
} as const;

/**
 * One play, including everything that happened in it: the document is its own outbox, journal and lease (docs/protocol.md
 * §2). The run path reads and writes it with the driver (see `MongoPlayStore`); its type is `Play` of the engine. This
 * schema owns the indexes.
 */
export const playSchema = new Schema<Play>({ _id: String }, { collection: PLAYS, strict: false, versionKey: false });

// one play per idempotency key while it binds: the insert decides
playSchema.index(
  { company_id: 1, flowId: 1, key: 1 },
  { unique: true, name: BINDING_KEY, partialFilterExpression: { key: { $type: 'string' } } },
);
// the reconciler: plays without a recent heartbeat, page by page in order; open plays only, whatever the history. `ready` is in it, so
// that it passes over a backlog without reading it
playSchema.index(
  { heartbeatAt: 1, _id: 1, ready: 1 },
  { name: 'silent', partialFilterExpression: { heartbeatAt: { $exists: true } } },
);
// the due plays of each company, in the order in which they continue; the company's delayed plays
playSchema.index(
  { company_id: 1, priority: -1, dueAt: 1, state: 1 },
  {
    name: 'company_due',
    partialFilterExpression: { dueAt: { $exists: true }, ...IS_PARKED },
  },
);
// lists of a company, newest first
playSchema.index({ company_id: 1, _id: -1 }, { name: 'company_plays' });
// lists of a flow, newest first
playSchema.index({ company_id: 1, flowId: 1, _id: -1 }, { name: 'flow_plays' });
// lists of a company by one state, newest first; a play that is run to its end in one go is never in it
playSchema.index(
  { company_id: 1, state: 1, _id: -1 },
  { name: 'company_states', partialFilterExpression: { state: { $in: [...LISTED_STATES] } } },
);
// the same of one flow: the failed plays of a flow among many of others, and the other way round
playSchema.index(
  { company_id: 1, flowId: 1, state: 1, _id: -1 },
  { name: 'flow_states', partialFilterExpression: { state: { $in: [...LISTED_STATES] } } },
);
// lists of a company by key and by what set the plays off, newest first; most plays are in neither
playSchema.index(
  { company_id: 1, idempotencyKey: 1, _id: -1 },
  { name: 'company_keys', partialFilterExpression: { idempotencyKey: { $exists: true } } },
);
playSchema.index(
  { company_id: 1, trigger: 1, _id: -1 },
  { name: 'company_set_off', partialFilterExpression: { trigger: { $in: LISTED_TRIGGERS } } },
);
// lists of a company by the error that ended the plays, newest first; failed plays only
playSchema.index(
  { company_id: 1, 'error.code': 1, _id: -1 },
  { name: 'company_errors', partialFilterExpression: { 'error.code': { $exists: true } } },
);
// lists of a company's plays that pause before their next attempt, newest first; open plays with failed calls only
playSchema.index(
  { company_id: 1, _id: -1, state: 1 },
  { name: 'company_tries', partialFilterExpression: { tries: { $exists: true } } },
);
// lists of a company by label, newest first; only plays that have labels
playSchema.index(
  { company_id: 1, labels: 1, _id: -1 },
  { name: COMPANY_LABELS, partialFilterExpression: { labels: { $exists: true } } },
);
// the failed plays among them: of many with the label, and many that have failed, hardly any may be both (ADR 63)
playSchema.index(
  { company_id: 1, labels: 1, state: 1, _id: -1 },
  { name: 'failed_labels', partialFilterExpression: { labels: { $exists: true }, state: 'FAIL' } },
);
// the same by what set the plays off
playSchema.index(
  { company_id: 1, trigger: 1, state: 1, _id: -1 },
  { name: 'failed_set_off', partialFilterExpression: { trigger: { $in: LISTED_TRIGGERS }, state: 'FAIL' } },
);
// chains that a retry has brought to a good end, read without their plays; such retries only
playSchema.index(
  { company_id: 1, state: 1, 'chain.first': 1, flowId: 1 },
  {
    name: MENDED,
    partialFilterExpression: { 'chain.first': { $exists: true }, state: { $in: [...MENDING_STATES] } },
  },
);
// one retry of each play: the insert decides; the last play of a chain
playSchema.index(
  { company_id: 1, 'chain.first': 1, 'chain.nth': 1 },
  { unique: true, name: CHAIN, partialFilterExpression: { 'chain.first': { $exists: true } } },
);
// the reconciler: plays whose time limit is over; open plays only
playSchema.index({ deadlineAt: 1 }, { name: 'deadline', partialFilterExpression: { deadlineAt: { $exists: true } } });
// the reconciler: plays that begin by then or not at all; those that have not begun
playSchema.index(
  { notAfter: 1 },
  {
    name: 'not_after',
    partialFilterExpression: { notAfter: { $exists: true }, state: { $in: [...UNBEGUN_STATES] } },
  },
);
// what moved when it was not young any more, for readers of the company's stream; most plays are never in it
playSchema.index(
  { company_id: 1, movedAt: 1, _id: 1 },
  { name: 'late_moves', partialFilterExpression: { movedAt: { $exists: true } } },
);
// who waits for an event of the company, page by page
playSchema.index(
  { company_id: 1, waitsFor: 1, _id: 1 },
  { name: 'waits_for', partialFilterExpression: { waitsFor: { $exists: true } } },
);
// plays that wait for turns, each queue in its order: of flows by priority, then as accepted; of lanes as accepted. Queues that have such
// plays. `state` and `_id` are in it, so that counting reads no play
playSchema.index(
  { company_id: 1, queues: 1, priority: -1, order: 1, state: 1, _id: 1 },
  { name: QUEUES, partialFilterExpression: { queues: { $exists: true } } },
);
// one play has each turn: the write that gives it decides
playSchema.index(
  { company_id: 1, turns: 1 },
  { unique: true, name: TURNS, partialFilterExpression: { turns: { $exists: true } } },
);
// lanes that have stopped: hardly ever any
playSchema.index(
  { company_id: 1 },
  { name: STOPPED_LANES, partialFilterExpression: { turns: { $exists: true }, state: 'FAIL' } },
);
// plays that wait for room in their company's window, NEW ones in the order in which they are rung for; companies that have such plays
playSchema.index(
  { ready: 1, state: 1, company_id: 1, priority: -1, _id: 1 },
  { name: READY, partialFilterExpression: { ready: true } },
);
// one play of each layer of each play that starts one, and of each item of its loop: the insert decides; what the layer or the item has
// started last, in any play of a chain; the plays of a loop in the order of the items
playSchema.index(
  {
    ...{ company_id: 1, 'parent.first': 1, 'parent.layer': 1, 'parent.item': 1 },
    ...{ 'parent.nth': 1, parentPlayId: 1, flowId: 1 },
  },
  { unique: true, name: CHILDREN, partialFilterExpression: { 'parent.layer': { $exists: true } } },
);
// layers that wait for plays of which some have ended, one layer after the other
playSchema.index(
  { company_id: 1, parentPlayId: 1, 'parent.layer': 1, completedAt: 1 },
  { name: ENDED_CHILDREN, partialFilterExpression: { parentPending: true, completedAt: { $exists: true } } },
);
// what is due, of all companies. `state` is in it, so that counting reads no play
playSchema.index(
  { dueAt: 1, state: 1 },
  { name: DUE, partialFilterExpression: { dueAt: { $exists: true }, ...IS_PARKED } },
);
// failed plays whose failure is still to start a play, one company after the other: hardly ever any, whatever the history
playSchema.index(
  { company_id: 1, completedAt: 1, _id: 1 },
  { name: PENDING_FAILURES, partialFilterExpression: { state: 'FAIL', failurePending: { $exists: true } } },
);
