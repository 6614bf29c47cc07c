import { Schema } from 'mongoose';

export const PLAYS = 'plays';
/** Name of the index that binds an idempotency key to one play. */
export const BINDING_KEY = 'binding_key';

/**
 * One play, everything that happened in it included: the document is its own outbox, journal and lease (protocol §2). The
 * run path reads and writes it with the driver (see `MongoPlayStore`); its type is `Play` of the engine. This schema owns
 * the indexes.
 */
export const playSchema = new Schema({ _id: String }, { collection: PLAYS, strict: false, versionKey: false });

// one play per idempotency key while it binds: the insert decides
playSchema.index(
  { company_id: 1, flowId: 1, key: 1 },
  { unique: true, name: BINDING_KEY, partialFilterExpression: { key: { $type: 'string' } } },
);
// the reconciler: who gave no sign of life, page by page in order; open plays only, whatever the history
playSchema.index({ beatAt: 1, _id: 1 }, { name: 'silent', partialFilterExpression: { beatAt: { $exists: true } } });
// the reconciler: what is due
playSchema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $exists: true } } });
// lists of a company, newest first; the window's next plays in accept order
playSchema.index({ company_id: 1, _id: -1 }, { name: 'company_plays' });
// lists of a flow, newest first
playSchema.index({ company_id: 1, flowId: 1, _id: -1 }, { name: 'flow_plays' });
// bulk retries: what has been retried already
playSchema.index(
  { company_id: 1, retryOf: 1 },
  { name: 'retries', partialFilterExpression: { retryOf: { $exists: true } } },
);
// the reconciler: whose time limit is over; open plays only
playSchema.index({ deadlineAt: 1 }, { name: 'deadline', partialFilterExpression: { deadlineAt: { $exists: true } } });
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
// who waits for room in a flow with a concurrency limit, in the order of admission; flows that have such plays
playSchema.index(
  { company_id: 1, flowId: 1, queued: 1, priority: -1, _id: 1 },
  { name: 'queued', partialFilterExpression: { queued: true } },
);
// the window's next plays with a priority: those before all others, those behind them; plays without one are in neither
playSchema.index(
  { company_id: 1, priority: -1, _id: 1 },
  { name: 'waiting_above', partialFilterExpression: { state: 'NEW', priority: { $gt: 0 } } },
);
playSchema.index(
  { company_id: 1, priority: -1, _id: 1 },
  { name: 'waiting_below', partialFilterExpression: { state: 'NEW', priority: { $lt: 0 } } },
);
// one play of each layer of each play that starts one: the insert decides
playSchema.index(
  { company_id: 1, flowId: 1, parentPlayId: 1, 'parent.layer': 1 },
  { unique: true, name: 'children', partialFilterExpression: { 'parent.layer': { $exists: true } } },
);
// ended plays whose parents were not told yet: hardly ever any
playSchema.index(
  { completedAt: 1 },
  { name: 'untold', partialFilterExpression: { untold: true, completedAt: { $exists: true } } },
);
