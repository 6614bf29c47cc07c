import type { Look } from '../../driver/looks.js';
import { dueUntil, PLAYS } from '../play.schema.js';
import { HAS_ENDS } from './child-plays.repository.js';
import { IS_PENDING } from './failed-plays.repository.js';
import { outOfTimeBy, tooLateBy } from './open-plays.repository.js';

const ofPlays = (filter: object): Look => ({ collection: PLAYS, filter });
const OF_ANY_COMPANY = { company_id: { $gt: '' } } as const;

/** What schedulers look for among the plays of all companies. */
export const PLAY_LOOKS = {
  /** A worker has it, or is to get it: NEW, RUN, or held with an owner. Index `silent`. */
  inWork: () => ofPlays({ heartbeatAt: { $gt: new Date(0) } }),
  /** Index `due`. */
  due: (now: Date) => ofPlays(dueUntil(now)),
  /** Index `deadline`. */
  outOfTime: (now: Date) => ofPlays(outOfTimeBy(now)),
  /** Index `not_after`. */
  tooLate: (now: Date) => ofPlays(tooLateBy(now)),
  /** Index `queues`. */
  inQueues: () => ofPlays({ ...OF_ANY_COMPANY, queues: { $gt: '' } }),
  /** Index `pending_failures`. */
  pendingFailures: () => ofPlays({ ...OF_ANY_COMPANY, ...IS_PENDING }),
  /** Index `ended_children`. */
  endsOfChildren: () => ofPlays({ ...OF_ANY_COMPANY, ...HAS_ENDS }),
} as const;
