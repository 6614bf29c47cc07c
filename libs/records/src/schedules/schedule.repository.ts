import type { ClientSession, mongo } from 'mongoose';
import { recordAudit, takeTurn, readInPortions, type AuditEntryInput, type Mongo, type TenantScope } from '@weft/store';
import { COMPANIES } from '../people/company.schema.js';
import { withRun } from './run-marks.js';
import { SCHEDULES, type LastRun, type ScheduleDocument } from './schedule.schema.js';

const SCHEDULES_AT_ONCE = 100;

/** Schedules as users see and change them. Every change is one transaction with its audit entry. */
export class ScheduleRepository {
  constructor(private readonly mongo: Mongo) {}

  async find(scope: TenantScope, id: string): Promise<ScheduleDocument | null> {
    return this.schedules().findOne({ _id: id, company_id: scope.companyId });
  }

  /** Newest first. */
  async list(scope: TenantScope, filter: { readonly flowId?: string }): Promise<ScheduleDocument[]> {
    const { flowId } = filter;
    const found = this.schedules()
      .find({ company_id: scope.companyId, ...(flowId !== undefined && { flow_id: flowId }) })
      .sort({ _id: -1 });
    return readInPortions(found, () => 1, SCHEDULES_AT_ONCE);
  }

  /** False when the company has `limit` schedules already: nothing was written then. */
  async insert(
    scope: TenantScope,
    schedule: ScheduleDocument,
    limit: number,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    if (schedule.company_id !== scope.companyId)
      throw new TypeError('a schedule of another company cannot be made here');
    return this.mongo.transaction(async (session) => {
      await takeTurn(session, this.mongo, COMPANIES, { _id: scope.companyId });
      const count = await this.schedules().countDocuments({ company_id: scope.companyId }, { session, limit });
      if (count >= limit) return false;
      await this.schedules().insertOne(schedule, { session });
      await recordAudit(session, entry);
      return true;
    });
  }

  /** False when it is not what was read any more: a user changed it, or a slot was taken. Nothing was written then. */
  async change(
    scope: TenantScope,
    { _id, rev }: Pick<ScheduleDocument, '_id' | 'rev'>,
    changes: Partial<ScheduleDocument>,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.schedules().updateOne(
        { _id, company_id: scope.companyId, rev },
        { $set: changes, $inc: { rev: 1 } },
        { session },
      );
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /** False when it is not there. */
  async remove(scope: TenantScope, id: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.schedules().deleteOne({ _id: id, company_id: scope.companyId }, { session });
      if (deletedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /** A play was made besides the slots: it is the last run, and its end is awaited. */
  async ranBesides(scope: TenantScope, id: string, run: LastRun, isOpen: boolean): Promise<void> {
    await this.schedules().updateOne({ _id: id, company_id: scope.companyId }, [
      ...withRun(run, isOpen),
      { $set: { rev: { $add: ['$rev', 1] } } },
    ]);
  }

  /** In the transaction that erases a flow: how many schedules it had. */
  async removeOfFlow(session: ClientSession, scope: TenantScope, flowId: string): Promise<number> {
    const ofFlow = { company_id: scope.companyId, flow_id: flowId };
    return (await this.schedules().deleteMany(ofFlow, { session })).deletedCount;
  }

  private schedules(): mongo.Collection<ScheduleDocument> {
    return this.mongo.collection<ScheduleDocument>(SCHEDULES);
  }
}
