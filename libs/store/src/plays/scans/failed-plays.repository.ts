import type { FailedPlay, Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import { recordAudit } from '../../audit/record-audit.js';
import { findPage } from '../../driver/find-page.js';
import type { Mongo } from '../../driver/mongo.js';
import type { SystemScope } from '../../scope.js';
import { PENDING_FAILURES, PLAYS } from '../play.schema.js';

/** A failed play whose failure is still to start a play. */
export type PendingFailure = FailedPlay &
  Pick<Play, 'company_id' | 'triggeredBy' | 'priority' | 'failureHandledBy'> &
  Required<Pick<Play, 'failurePending'>>;

const PENDING = {
  ...{ company_id: 1, flowId: 1, version: 1, state: 1, args: 1, argsRef: 1, labels: 1, trigger: 1, triggeredBy: 1 },
  ...{ priority: 1, createdAt: 1, completedAt: 1, error: 1, failurePending: 1, failureHandledBy: 1 },
  log: { type: 1, state: 1, at: 1 },
  layers: { ref: 1, state: 1, attempts: 1, error: 1 },
} as const;

export const IS_PENDING = { state: 'FAIL', failurePending: { $exists: true } } as const;

/** Failed plays of flows with `settings.onFailure`, until that flow was run for them: docs/protocol.md §6 "Failures". */
export class FailedPlaysRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(private readonly mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /** The company after this one that has such plays, without these companies. */
  async nextCompany(_scope: SystemScope, after: string, except: readonly string[]): Promise<string | null> {
    const found = await this.plays.findOne<Pick<Play, 'company_id'>>(
      { ...IS_PENDING, company_id: { $gt: after, $nin: [...except] } } as mongo.Filter<Play>,
      { projection: { _id: 0, company_id: 1 }, sort: { company_id: 1, completedAt: 1 }, hint: PENDING_FAILURES },
    );
    return found?.company_id ?? null;
  }

  /** Those of a company, without these; the longest failed first. At most this many, and no more than memory should hold. */
  async pending(
    _scope: SystemScope,
    companyId: string,
    limit: number,
    except: readonly string[],
  ): Promise<readonly PendingFailure[]> {
    const others = except.length === 0 ? {} : { _id: { $nin: [...except] } };
    const filter = { ...IS_PENDING, company_id: companyId, ...others } as mongo.Filter<PendingFailure>;
    const options = { projection: PENDING, sort: { completedAt: 1 }, limit, hint: PENDING_FAILURES } as const;
    const { docs } = await findPage(this.mongo.collection<PendingFailure>(PLAYS), filter, options);
    return docs;
  }

  /** Fixes the id of the play that is to be started. False: another scheduler has fixed one, or is done. */
  async claim(_scope: SystemScope, failed: PendingFailure, playId: string): Promise<boolean> {
    const filter = { ...ofPending(failed), failureHandledBy: { $exists: false } } as mongo.Filter<Play>;
    return (await this.plays.updateOne(filter, { $set: { failureHandledBy: playId } })).modifiedCount === 1;
  }

  /** Whether the play with the fixed id is stored. */
  async isStored(_scope: SystemScope, { company_id, failureHandledBy }: PendingFailure): Promise<boolean> {
    if (failureHandledBy === undefined) return false;
    const filter = { _id: failureHandledBy, company_id } as mongo.Filter<Play>;
    return (await this.plays.countDocuments(filter, { limit: 1 })) > 0;
  }

  /** The play was started, or is not to be. */
  async settle(_scope: SystemScope, failed: PendingFailure): Promise<void> {
    await this.plays.updateOne(ofPending(failed), { $unset: { failurePending: 1 } });
  }

  /**
   * No play is started, for a reason that people must know of: an audit entry tells it. False: it was settled meanwhile, or another
   * scheduler is about to start the play.
   */
  async giveUp(_scope: SystemScope, failed: PendingFailure, reason: string): Promise<boolean> {
    const { _id, company_id, flowId, failurePending } = failed;
    return this.mongo.transaction(async (session) => {
      const update = { $unset: { failurePending: 1, failureHandledBy: 1 } } as const;
      const asRead = { ...ofPending(failed), failureHandledBy: failed.failureHandledBy ?? { $exists: false } };
      const filter = asRead as mongo.Filter<Play>;
      const { modifiedCount } = await this.plays.updateOne(filter, update, { session });
      if (modifiedCount === 0) return false;
      await recordAudit(session, {
        action_type: 'failure_not_handled',
        collection: PLAYS,
        company_id,
        resource_type: 'play',
        resource_id: _id,
        outcome: 'failure',
        reason,
        changes: {
          flowId: { before: null, after: flowId },
          onFailure: { before: failurePending, after: null },
        },
      });
      return true;
    });
  }
}

function ofPending({ _id, company_id, flowId, failurePending }: PendingFailure): mongo.Filter<Play> {
  return { _id, company_id, flowId, state: 'FAIL', failurePending };
}
