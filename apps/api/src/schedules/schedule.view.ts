import type { Labels, PlayState } from '@weft/contracts';
import { isCronFault, readCronRule } from '@weft/engine';
import type { LastRun, ScheduleDocument } from '@weft/records';
import { fieldsIn, scheduleShape, type ScheduleFields } from '@weft/shapes';
import * as s from '../http/schema.js';

export interface ScheduleView extends ScheduleFields {
  readonly id: string;
  readonly labels: Labels;
  /** When the newest run was accepted. */
  readonly last_run: string | null;
  readonly last_status: PlayState | null;
  readonly last_duration_ms: number | null;
  readonly next_run: string | null;
  /** Why the slots pass without a run; null when they run. */
  readonly resting: string | null;
  readonly created_by: string;
}

export const scheduleSchema = s.named(
  'ScheduledJob',
  s.object<ScheduleView>({
    id: s.text,
    ...s.fieldsOf(scheduleShape),
    labels: s.labels,
    last_run: s.timeOrNull,
    last_status: { ...s.textOrNull, description: 'The state of the newest run, as it is now.' },
    last_duration_ms: s.integerOrNull,
    next_run: { ...s.timeOrNull, description: 'Null while it is paused or rests.' },
    resting: { ...s.textOrNull, description: 'Why its slots come and go without a run.' },
    created_by: { ...s.text, description: 'Its runs have the rights of this user.' },
  }),
);

export interface ScheduleList {
  readonly jobs: readonly ScheduleView[];
}

export const scheduleListSchema = s.named('ScheduledJobs', s.object<ScheduleList>({ jobs: s.listOf(scheduleSchema) }));

export interface SchedulePreview {
  readonly next: readonly string[];
}

export const schedulePreviewSchema = s.named('SchedulePreview', s.object<SchedulePreview>({ next: s.listOf(s.time) }));

/**
 * @param last the newest run with its current state
 * @param resting why the flow cannot run for its creator now
 */
export function toScheduleView(
  schedule: ScheduleDocument,
  last: LastRun | null,
  resting: string | null,
  now: Date,
): ScheduleView {
  const next = nextRunOf(schedule, now);
  const why = resting ?? (next.fault === null ? null : `The schedule cannot be read any more: ${next.fault}`);
  return {
    id: schedule._id,
    ...fieldsIn(scheduleShape, schedule),
    labels: schedule.labels ?? {},
    last_run: last?.at.toISOString() ?? null,
    last_status: last?.state ?? null,
    last_duration_ms: last?.durationMs ?? null,
    next_run: why === null ? (next.slot?.toISOString() ?? null) : null,
    resting: why,
    created_by: schedule.created_by,
  };
}

/** Always ahead, also while no scheduler runs that would have taken the slots in between. */
function nextRunOf(
  schedule: ScheduleDocument,
  now: Date,
): { readonly slot: Date | null; readonly fault: string | null } {
  const { enabled, nextSlot } = schedule;
  if (!enabled) return { slot: null, fault: null };
  if (nextSlot && nextSlot > now) return { slot: nextSlot, fault: null };
  const rule = readCronRule(schedule.schedule, schedule.timezone, now);
  return isCronFault(rule) ? { slot: null, fault: rule.message } : { slot: rule.next(now), fault: null };
}
