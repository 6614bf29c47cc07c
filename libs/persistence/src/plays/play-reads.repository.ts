import type { PlayState, PlayTrigger } from '@weft/contracts';
import { ROW_FIELDS, type Play } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import type { mongo } from 'mongoose';
import type { FlowChoice } from '../flows/flow-visibility.js';
import type { Mongo } from '../driver/mongo.js';
import { findPage, type PageOf, type PageRequest } from '../driver/paging.js';
import type { TenantScope } from '../scope.js';
import { PLAYS } from './play.schema.js';

export interface PlayFilter {
  readonly flowId?: string;
  /** Flows whose plays the caller sees. */
  readonly flows?: FlowChoice;
  readonly states?: readonly PlayState[];
  /** `createdAt` from here on … */
  readonly from?: Date;
  /** … and before here. */
  readonly to?: Date;
  readonly idempotencyKey?: string;
  readonly trigger?: PlayTrigger;
  /** Plays that this user started. */
  readonly triggeredBy?: string;
}

/** A play without what can be large: arguments, results and inbox. Of its log only the first move to RUN is there. */
export type PlayHead = Omit<Play, 'args' | 'argsRef' | 'layers' | 'inbox'>;

const HEAD = {
  ...Object.fromEntries(ROW_FIELDS.map((field) => [field, 1])),
  company_id: 1,
  flowId: 1,
  state: 1,
  completedAt: 1,
  log: {
    $slice: [
      {
        $filter: {
          input: '$log',
          as: 'entry',
          cond: { $and: [{ $eq: ['$$entry.type', 'state'] }, { $eq: ['$$entry.state', 'RUN'] }] },
        },
      },
      1,
    ],
  },
} as const;

/** What people and programs read of plays. Newest first by `_id`, which sorts by time of accept. */
export class PlayReadsRepository {
  constructor(private readonly mongo: Mongo) {}

  async list(scope: TenantScope, filter: PlayFilter, page: PageRequest): Promise<PageOf<PlayHead>> {
    return findPage<Play>(this.plays(), toPlayQuery(scope, filter), page, HEAD);
  }

  /** With arguments, without results. */
  async find(scope: TenantScope, playId: string): Promise<Omit<Play, 'layers' | 'inbox'> | null> {
    return this.plays().findOne<Omit<Play, 'layers' | 'inbox'>>(
      { _id: playId, company_id: scope.companyId },
      { projection: { ...HEAD, args: 1, argsRef: 1 } },
    );
  }

  /** The play with its whole log and all results. */
  async findWithLayers(scope: TenantScope, playId: string): Promise<Play | null> {
    return this.plays().findOne({ _id: playId, company_id: scope.companyId });
  }

  /** The play with the results of one layer only. */
  async findWithLayer(scope: TenantScope, playId: string, ref: string): Promise<Play | null> {
    return this.plays().findOne<Play>(
      { _id: playId, company_id: scope.companyId },
      { projection: { ...HEAD, layers: { $elemMatch: { ref } } } },
    );
  }

  private plays(): mongo.Collection<Play> {
    return this.mongo.collection<Play>(PLAYS);
  }
}

/** An id begins with the time at which it was made, which may precede the accept (a slot that a schedule missed) … */
const ID_BEFORE_ACCEPT_MS = 2 * 24 * 3_600_000;
/** … and follow it by as much as clocks differ. */
const ID_AFTER_ACCEPT_MS = 60_000;
const LAST_ID_MS = 2 ** 48 - 1;

/** The filter of a list. With times, only ids that can have been made in that range are read. */
export function toPlayQuery(scope: TenantScope, filter: PlayFilter): mongo.Filter<Play> {
  const { flowId, flows, states, from, to, idempotencyKey, trigger, triggeredBy } = filter;
  return {
    company_id: scope.companyId,
    ...(flowId !== undefined && { flowId }),
    ...(flowId === undefined && flows && ofFlows(flows)),
    ...(states !== undefined && ofStates(states)),
    ...((from ?? to) && {
      createdAt: { ...(from && { $gte: from }), ...(to && { $lt: to }) },
      _id: {
        ...(from && { $gt: idAt(from.getTime() - ID_BEFORE_ACCEPT_MS) }),
        ...(to && { $lte: idAt(to.getTime() + ID_AFTER_ACCEPT_MS) }),
      },
    }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(trigger !== undefined && { trigger }),
    ...(triggeredBy !== undefined && { triggeredBy }),
  };
}

/** One state by itself: MongoDB (6.0) does not see that an index over some states has all of a list of them. */
function ofStates(states: readonly PlayState[]): mongo.Filter<Play> {
  const [only] = states;
  return { state: only !== undefined && states.length === 1 ? only : { $in: [...states] } };
}

function idAt(epochMs: number): string {
  return lastIdAt(Math.min(Math.max(epochMs, 0), LAST_ID_MS));
}

function ofFlows(flows: FlowChoice): mongo.Filter<Play> {
  if ('only' in flows) return { flowId: { $in: [...flows.only] } };
  return flows.except.length === 0 ? {} : { flowId: { $nin: [...flows.except] } };
}
