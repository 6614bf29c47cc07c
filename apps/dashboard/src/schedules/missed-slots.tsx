import { specialist } from '@weft/access';
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { may, useMe } from '../session/me';
import { Time } from '../ui/time';
import { missedOf, slotText, type Missed } from './words';
import classes from './schedules.module.css';

const SHOWN = 5;

interface MissedSlotsProps {
  readonly scheduleId: string;
  readonly timezone: string;
}

/** Slots that passed without a run, for those who may read the audit log: it alone has them. */
export function MissedSlots({ scheduleId, timezone }: MissedSlotsProps) {
  const me = useMe();
  const { data } = useQuery({
    queryKey: ['schedules', 'missed', scheduleId],
    enabled: may(me, specialist('audit_viewer')),
    queryFn: async () => {
      const query = { action: 'schedule_missed' as const, resource_id: scheduleId, limit: SHOWN };
      return (await answerOf(api.GET('/api/v1/audit', { params: { query } }))).items;
    },
  });
  const entries = (data ?? []).flatMap(({ id, timestamp, changes }) => {
    const missed = missedOf(changes);
    return missed === null ? [] : [{ id, timestamp, missed }];
  });
  if (entries.length === 0) return null;
  return (
    <>
      <h2>Slots without a run</h2>
      <ol className={classes.slots}>
        {entries.map(({ id, timestamp, missed }) => (
          <li key={id}>
            <span className="num">{rangeText(missed, timezone)}</span>
            <span className="soft">
              noticed <Time at={timestamp} />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function rangeText({ count, first, last }: Missed, timezone: string): string {
  if (count === 1) return slotText(first, timezone);
  return `${count} slots, ${slotText(first, timezone)} to ${slotText(last, timezone)}`;
}
