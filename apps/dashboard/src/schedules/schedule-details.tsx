import { Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFlowName } from '../flows/flow-names';
import { Person } from '../ui/person';
import { Clock } from '../ui/clock';
import { Facts } from '../ui/facts';
import { StateBadge } from '../ui/state-badge';
import { Time } from '../ui/time';
import { pairsText } from '../values/json-text';
import { ValueTree } from '../values/value-tree';
import { cronWords } from './cron-words';
import { MissedSlots } from './missed-slots';
import { NextSlots } from './next-slots';
import type { Schedule } from './queries';
import { ScheduleCommands } from './schedule-commands';
import { missedWords, overlapWords } from './words';
import classes from '../ui/form.module.css';

interface ScheduleDetailsProps {
  readonly schedule: Schedule;
  readonly onEdit: () => void;
  readonly onClose: () => void;
}

export function ScheduleDetails({ schedule, onEdit, onClose }: ScheduleDetailsProps) {
  const flowName = useFlowName(schedule.flow_id);
  const labels = pairsText(schedule.labels);
  return (
    <Modal opened onClose={onClose} title={cronWords(schedule.schedule) ?? schedule.schedule} size="lg">
      <div className={classes.form}>
        <Facts
          facts={[
            [
              'Flow',
              <Link key="flow" to="/flows/$flowId" params={{ flowId: schedule.flow_id }} search={{ tab: 'schedules' }}>
                <bdi>{flowName}</bdi>
              </Link>,
            ],
            ['Fields', <code key="fields">{schedule.schedule}</code>],
            ['Time zone', schedule.timezone],
            ['Last run', <LastRun key="last" schedule={schedule} />],
            ['Overlap', overlapWords(schedule)],
            ['Missed slots', missedWords(schedule)],
            ['Runs as', <Person key="by" id={schedule.created_by} />],
            ...(labels === '' ? [] : ([['Labels', labels]] as const)),
          ]}
        />
        {schedule.resting !== null && <p className="soft">Its slots pass without a run: {schedule.resting}</p>}
        <h2>Next five slots</h2>
        {schedule.enabled ? (
          <NextSlots schedule={schedule.schedule} timezone={schedule.timezone} />
        ) : (
          <p className="soft">It is paused. Slots in the pause are not made up for.</p>
        )}
        <MissedSlots scheduleId={schedule.id} timezone={schedule.timezone} />
        {Object.keys(schedule.args).length > 0 && (
          <>
            <h2>Arguments</h2>
            <ValueTree value={schedule.args} label="Arguments of its runs" />
          </>
        )}
        <ScheduleCommands schedule={schedule} onEdit={onEdit} onDeleted={onClose} />
      </div>
    </Modal>
  );
}

/** The newest run in its present state. */
export function LastRun({ schedule }: { readonly schedule: Schedule }) {
  const { last_run, last_status, last_duration_ms } = schedule;
  if (last_run === null) return <span className="soft">never ran</span>;
  return (
    <span className={classes.row}>
      {last_status !== null && <StateBadge state={last_status} />}
      <Time at={last_run} />
      {last_duration_ms !== null && (
        <span className="soft">
          took <Clock ms={last_duration_ms} />
        </span>
      )}
    </span>
  );
}
