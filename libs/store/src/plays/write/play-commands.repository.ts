import { FINAL_STATES } from '@weft/contracts';
import type { RetriedPlay, LayerResult, Play } from '@weft/engine';
import type { ClientSession, mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput } from '../../audit/record-audit.js';
import type { Mongo } from '../../driver/mongo.js';
import type { PayloadStore } from '../payloads/payload.store.js';
import type { TenantScope } from '../../scope.js';
import { toEndedQuery, toPlayQuery, type PlayFilter } from '../reads/play-query.js';
import { AT_STOPPED_LANE, FIRST_MOVE_TO_RUN, PLAYS } from '../play.schema.js';
import { TO_RETRY } from '../wait-fields.js';

/** Of its args, waits, answers and outputs a cancel reads nothing: they may be megabytes. */
const ASKED_FOR = {
  ...{
    company_id: 1,
    flowId: 1,
    state: 1,
    held: 1,
    heldAt: 1,
    epoch: 1,
    seq: 1,
    cursor: 1,
    owner: 1,
  },
  ...{ completedAt: 1, parent: 1, parentPlayId: 1, parentPending: 1 },
  ...{ lane: 1, laneStops: 1, queues: 1, turns: 1, log: FIRST_MOVE_TO_RUN },
} as const;

export type PlayToCancel = Pick<Play, '_id' | keyof typeof ASKED_FOR> & {
  readonly layers: readonly Pick<LayerResult, 'position'>[];
};

/** A look for plays that takes longer keeps MongoDB from the run path. */
const WITHIN_MS = 10_000;

/** What commands on many plays read, and the end of a play's record. */
export class PlayCommandsRepository {
  constructor(
    private readonly mongo: Mongo,
    private readonly payloads: PayloadStore,
  ) {}

  /** How many plays of the company match, counted up to `limit`. */
  async count(scope: TenantScope, filter: PlayFilter, limit: number): Promise<number> {
    return this.plays().countDocuments(toEndedQuery(scope, filter), { limit, maxTimeMS: WITHIN_MS });
  }

  /** Ids of plays that match, newest first, after `after`. */
  async ids(scope: TenantScope, filter: PlayFilter, after: string | null, limit: number): Promise<string[]> {
    const found = await this.plays()
      .find(toPlayQuery(scope, filter, after === null ? [] : [{ _id: { $lt: after } }]), {
        projection: { _id: 1 },
        sort: { _id: -1 },
        limit,
        maxTimeMS: WITHIN_MS,
      })
      .toArray();
    return found.map((play) => play._id);
  }

  /** Of the plays with these ids that the company has, what rights are judged by. */
  async findHeads(scope: TenantScope, ids: readonly string[]): Promise<Pick<Play, '_id' | 'flowId' | 'triggeredBy'>[]> {
    return this.plays()
      .find({ _id: { $in: [...ids] }, company_id: scope.companyId }, { projection: { flowId: 1, triggeredBy: 1 } })
      .toArray();
  }

  /** How many of these plays were cancelled since then. */
  async countCancelled(scope: TenantScope, ids: readonly string[], since: Date): Promise<number> {
    return this.plays().countDocuments({
      ...{ _id: { $in: [...ids] }, company_id: scope.companyId },
      ...{ state: 'FAIL', 'error.code': 'cancelled', completedAt: { $gte: since } },
    });
  }

  /** A play of the company as its retry needs it; null: the company does not have it. */
  async findToRetry({ companyId }: TenantScope, playId: string): Promise<RetriedPlay | null> {
    return this.plays().findOne<RetriedPlay>({ _id: playId, company_id: companyId }, { projection: TO_RETRY });
  }

  /** A play of the company as a cancel reads it; null: the company does not have it. */
  async findToCancel({ companyId }: TenantScope, playId: string): Promise<PlayToCancel | null> {
    return this.plays().findOne<PlayToCancel>(
      { _id: playId, company_id: companyId },
      { projection: { ...ASKED_FOR, 'layers.position': 1 } },
    );
  }

  /**
   * Erases a play that has ended, with its audit entry; its outputs go with it unless another play took them over.
   *
   * @returns false when the company has no such play, it has not ended, its parent does not know of its end, or a lane
   * is stopped at it; nothing was written then
   */
  async erase(scope: TenantScope, playId: string, entry: AuditEntryInput): Promise<boolean> {
    const erased = await this.mongo.transaction((session) => this.eraseIn(session, scope, playId, entry));
    if (erased) await this.payloads.removeUnreferenced(scope);
    return erased;
  }

  private async eraseIn(
    session: ClientSession,
    scope: TenantScope,
    playId: string,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    const { deletedCount } = await this.plays().deleteOne(
      {
        ...{ _id: playId, company_id: scope.companyId, state: { $in: [...FINAL_STATES] } },
        ...{ parentPending: { $ne: true }, $nor: [AT_STOPPED_LANE] },
      },
      { session },
    );
    if (deletedCount === 0) return false;
    await this.payloads.letGo(scope, [playId], session);
    await recordAudit(session, entry);
    return true;
  }

  private plays(): mongo.Collection<Play> {
    return this.mongo.collection<Play>(PLAYS);
  }
}
