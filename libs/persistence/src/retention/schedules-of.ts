import { durationMs } from '@weft/retention';
import type { ClientSession } from 'mongoose';
import { Mongo } from '../mongo.js';
import type { TenantScope } from '../scope.js';

const SCHEDULES = 'schedules';
interface ScheduleRow {
  readonly company_id: string;
  readonly flow_id: string;
  readonly enabled: boolean;
  readonly missed_window: string;
}

/** How long after its time a slot of the company's schedules may be asked for again. */
export async function longestMissedWindowMs(mongo: Mongo, company: TenantScope): Promise<number> {
  const windows = await mongo
    .collection<ScheduleRow>(SCHEDULES)
    .distinct('missed_window', { company_id: company.companyId });
  return Math.max(0, ...windows.map((window) => durationMs(window) ?? 0));
}

/** Flows that run at times by themselves. */
export async function scheduledFlows(mongo: Mongo, company: TenantScope): Promise<ReadonlySet<string>> {
  const flows = await mongo
    .collection<ScheduleRow>(SCHEDULES)
    .distinct('flow_id', { company_id: company.companyId, enabled: true });
  return new Set(flows);
}

/** In the transaction that erases the flow. */
export async function removeSchedulesOf(session: ClientSession, company: TenantScope, flow_id: string): Promise<void> {
  const schedules = Mongo.of(session).collection<ScheduleRow>(SCHEDULES);
  await schedules.deleteMany({ company_id: company.companyId, flow_id }, { session });
}
