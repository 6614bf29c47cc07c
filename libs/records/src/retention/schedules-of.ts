import { durationMs } from '@weft/retention';
import type { mongo } from 'mongoose';
import type { Mongo, TenantScope } from '@weft/store';
import { SCHEDULES, type ScheduleDocument } from '../schedules/schedule.schema.js';

/** How long after its time a slot of the company's schedules may be asked for again. */
export async function longestMissedWindowMs(mongo: Mongo, company: TenantScope): Promise<number> {
  const windows = await schedules(mongo).distinct('missed_window', { company_id: company.companyId });
  return Math.max(0, ...windows.map((window) => durationMs(window) ?? 0));
}

/** Flows that run at times by themselves. */
export async function scheduledFlows(mongo: Mongo, company: TenantScope): Promise<ReadonlySet<string>> {
  return new Set(await schedules(mongo).distinct('flow_id', { company_id: company.companyId, enabled: true }));
}

function schedules(mongo: Mongo): mongo.Collection<ScheduleDocument> {
  return mongo.collection<ScheduleDocument>(SCHEDULES);
}
