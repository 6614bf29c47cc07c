import { PLAY_STATES, type PlayState } from '@weft/contracts';
import { ROW_FIELDS, type JournalSource, type Play, type RowFields } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import { countWithin, pageWithTotal, TOTAL_CAP, type PageOf, type PageRequest } from '../../driver/paging.js';
import type { TenantScope } from '../../scope.js';
import { pageByEnd } from './page-by-end.js';
import { AWAITS_RETRY, toEndedQuery, toPlayQuery, type PlayFilter } from './play-query.js';
import { COMPANY_LABELS, FIRST_MOVE_TO_RUN, PLAYS } from '../play.schema.js';

/** A play without what can be large: arguments, results and inbox. Of its log only the first move to RUN is there. */
export type PlayHead = Omit<Play, 'args' | 'argsRef' | 'layers' | 'inbox'> & Pick<RowFields, 'awaitsRetry'>;

const HEAD = {
  ...Object.fromEntries(ROW_FIELDS.map((field) => [field, 1])),
  company_id: 1,
  flowId: 1,
  state: 1,
  completedAt: 1,
  chain: 1,
  awaitsRetry: AWAITS_RETRY,
  log: FIRST_MOVE_TO_RUN,
} as const;

/** Of one play that is read, not of lists. */
const OF_ONE = { lane: 1, failurePending: 1, failureHandledBy: 1, handlesFailureOf: 1 } as const;

/** What the frames of a play are made of. */
const JOURNAL = {
  flowId: 1,
  triggeredBy: 1,
  completedAt: 1,
  log: 1,
  layers: { ref: 1, startedAt: 1, completedAt: 1, out: 1, jsonFrom: 1, outRef: 1, outBytes: 1 },
} as const;

export type ReadJournal = JournalSource & Pick<Play, 'flowId' | 'triggeredBy'>;

/** What says why a play waits. */
const WAITING = {
  ...{
    flowId: 1,
    triggeredBy: 1,
    version: 1,
    state: 1,
    held: 1,
    heldAt: 1,
    owner: 1,
    dueAt: 1,
    createdAt: 1,
    priority: 1,
  },
  ...{ waits: 1, tries: 1, ready: 1, log: 1 },
  ...{ lane: 1, limitKey: 1, queues: 1, turns: 1 },
} as const;

/** Without the payloads of its answers: of its inbox only the positions are there. */
export type ReadWaiting = Omit<PlayHead, 'inbox'> & Pick<Play, 'inbox'>;

/** Plays with a label: reading as many takes no time. */
const WORTH_COUNTING = 1_000;

/** How many plays are in a state; capped: at least as many. */
export interface StateCount {
  readonly state: PlayState;
  readonly count: number;
  readonly capped: boolean;
}

/** What people and programs read of plays. Newest first by `_id`, which sorts by time of accept. */
export class PlayReadsRepository {
  constructor(private readonly mongo: Mongo) {}

  async list(scope: TenantScope, filter: PlayFilter, page: PageRequest): Promise<PageOf<PlayHead>> {
    const count = () => countWithin(this.plays(), toEndedQuery(scope, filter));
    const after = page.after === null ? [] : [{ _id: { $lt: page.after } }];
    return pageWithTotal<Play>(this.plays(), toPlayQuery(scope, filter, after), page, HEAD, count);
  }

  /** Those that have ended, the last ended one first. `PageRequest.after` is an `endKey`. */
  async listByEnd(scope: TenantScope, filter: PlayFilter, page: PageRequest): Promise<PageOf<PlayHead>> {
    return pageByEnd({ plays: this.plays(), serverNow: this.mongo.serverNow() }, scope, filter, page, HEAD);
  }

  /** Of several labels, MongoDB reads all plays that have the first: the one that the fewest have, as far as it is worth counting. */
  async rarestFirst(scope: TenantScope, labels: readonly string[]): Promise<readonly string[]> {
    if (labels.length < 2) return labels;
    const options = { limit: WORTH_COUNTING, hint: COMPANY_LABELS };
    const counts = labels.map(async (label) => ({
      label,
      plays: await this.plays().countDocuments({ company_id: scope.companyId, labels: label }, options),
    }));
    return (await Promise.all(counts)).toSorted((one, other) => one.plays - other.plays).map(({ label }) => label);
  }

  /** How many plays of each state match. A state that the filter leaves out has none. */
  async countByState(scope: TenantScope, filter: PlayFilter): Promise<StateCount[]> {
    return Promise.all(
      PLAY_STATES.map(async (state) => {
        if (filter.states?.includes(state) === false) return { state, count: 0, capped: false };
        const counted = await countWithin(this.plays(), toEndedQuery(scope, { ...filter, states: [state] }));
        return { state, count: Math.min(counted ?? 0, TOTAL_CAP), capped: counted === null || counted > TOTAL_CAP };
      }),
    );
  }

  /** With arguments and what its failure has to do with other plays, without results. */
  async find(scope: TenantScope, playId: string): Promise<Omit<Play, 'layers' | 'inbox'> | null> {
    return this.plays().findOne<Omit<Play, 'layers' | 'inbox'>>(
      { _id: playId, company_id: scope.companyId },
      { projection: { ...HEAD, args: 1, argsRef: 1, ...OF_ONE } },
    );
  }

  /** What decides who may read them, in no order. */
  async findRights(
    scope: TenantScope,
    playIds: readonly string[],
  ): Promise<Pick<Play, '_id' | 'flowId' | 'triggeredBy'>[]> {
    return this.plays()
      .find<Pick<Play, '_id' | 'flowId' | 'triggeredBy'>>(
        { _id: { $in: [...playIds] }, company_id: scope.companyId },
        { projection: { flowId: 1, triggeredBy: 1 } },
      )
      .toArray();
  }

  /** How far it has come: `seq` is that of its last write. */
  async findProgress(scope: TenantScope, playId: string): Promise<Pick<Play, 'state' | 'seq'> | null> {
    return this.plays().findOne<Pick<Play, 'state' | 'seq'>>(
      { _id: playId, company_id: scope.companyId },
      { projection: { _id: 0, state: 1, seq: 1 } },
    );
  }

  /** The play with its whole log and all results. */
  async findWithLayers(scope: TenantScope, playId: string): Promise<Play | null> {
    return this.plays().findOne({ _id: playId, company_id: scope.companyId });
  }

  /** What its frames are made of. */
  async findJournal(scope: TenantScope, playId: string): Promise<ReadJournal | null> {
    return this.plays().findOne<ReadJournal>({ _id: playId, company_id: scope.companyId }, { projection: JOURNAL });
  }

  /** What says why it waits. */
  async findWaiting(scope: TenantScope, playId: string): Promise<ReadWaiting | null> {
    const answered = { $map: { input: { $objectToArray: { $ifNull: ['$inbox', {}] } }, in: '$$this.k' } };
    const found = await this.plays().findOne<ReadWaiting & { readonly answered: readonly string[] }>(
      { _id: playId, company_id: scope.companyId },
      { projection: { ...WAITING, answered } },
    );
    if (!found) return null;
    const { answered: positions, ...play } = found;
    return { ...play, inbox: Object.fromEntries(positions.map((position) => [position, null])) };
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
