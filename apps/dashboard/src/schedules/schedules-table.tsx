import { lazy, Suspense, useState } from 'react';
import { FlowName } from '../flows/flow-name';
import { Mark } from '../flows/flow-marks';
import { EmptyState } from '../ui/empty-state';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { cronWords } from './cron-words';
import { NewSchedule } from './new-schedule';
import type { Schedule } from './queries';
import { LastRun, ScheduleDetails } from './schedule-details';
import classes from './schedules.module.css';

const ScheduleForm = lazy(async () => ({ default: (await import('./schedule-form')).ScheduleForm }));

interface SchedulesTableProps {
  readonly schedules: readonly Schedule[];
  /** The table of one flow does not name it. */
  readonly flowId?: string;
}

export function SchedulesTable({ schedules, flowId }: SchedulesTableProps) {
  const [openId, setOpenId] = useState<string | null>(null);
  const [isEditing, setEditing] = useState(false);
  const open = schedules.find(({ id }) => id === openId);
  const flowColumn = flowId === undefined ? ['Flow'] : [];
  return (
    <>
      {schedules.length === 0 ? (
        <EmptyState title="No schedule yet">
          <p>A schedule runs a flow at certain times, each time exactly once.</p>
          <NewSchedule flowId={flowId} />
        </EmptyState>
      ) : (
        <Table
          caption="Schedules"
          hideCaption
          isFlush
          columns={['Schedule', ...flowColumn, 'Time zone', 'Next', 'Last run']}
          wide={flowId === undefined ? [2] : [1]}
          rows={[...schedules].sort(byNext).map((schedule) => ({
            key: schedule.id,
            cells: [
              <button key="s" type="button" className={classes.open} onClick={() => setOpenId(schedule.id)}>
                <span>{cronWords(schedule.schedule) ?? <code>{schedule.schedule}</code>}</span>
                {!schedule.enabled && <Mark kind="off">Paused</Mark>}
                {schedule.resting !== null && (
                  <Mark kind="bad" title={schedule.resting}>
                    Blocked
                  </Mark>
                )}
              </button>,
              ...(flowId === undefined ? [<FlowName key="flow" id={schedule.flow_id} tab="schedules" />] : []),
              schedule.timezone,
              <Time key="next" at={schedule.next_run} />,
              <LastRun key="last" schedule={schedule} />,
            ],
          }))}
        />
      )}
      {open && !isEditing && (
        <ScheduleDetails schedule={open} onEdit={() => setEditing(true)} onClose={() => setOpenId(null)} />
      )}
      <Suspense>{open && isEditing && <ScheduleForm schedule={open} onClose={() => setEditing(false)} />}</Suspense>
    </>
  );
}

/** What runs next comes first; what does not run, last. */
function byNext({ next_run: a }: Schedule, { next_run: b }: Schedule): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.localeCompare(b);
}
