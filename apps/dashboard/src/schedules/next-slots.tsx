import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../ui/error-notice';
import { Time } from '../ui/time';
import { slotsQuery } from './queries';
import { slotText } from './words';
import classes from './schedules.module.css';

interface NextSlotsProps {
  readonly schedule: string;
  readonly timezone: string;
}

/** When it runs next, as the scheduler reads the fields. */
export function NextSlots({ schedule, timezone }: NextSlotsProps) {
  const { data, error } = useQuery(slotsQuery(schedule, timezone));
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Skeleton height={110} />;
  return (
    <ol className={classes.slots} aria-label="The next five slots">
      {data.map((at) => (
        <li key={at}>
          <span className="num">{slotText(at, timezone)}</span>
          <span className="soft">
            <Time at={at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
