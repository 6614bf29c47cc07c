import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useFlowName } from '../flows/flow-names';
import type { Play } from '../plays/play';
import { useCounts } from '../plays/use-counts';
import { useLivePlays } from '../plays/use-plays';
import { ErrorNotice } from '../ui/error-notice';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { groupFailures } from './group-failures';

const DAY_MS = 86_400_000;

/** The newest failures, those of one cause together: what to repair first. */
export function Failures() {
  const [endedFrom] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const search = useMemo(() => ({ state: ['FAIL' as const], endedFrom }), [endedFrom]);
  const { list, error, reload } = useLivePlays(search);
  if (error !== null) return <ErrorNotice error={error} onRetry={reload} />;
  if (list === null) return <Skeleton height={160} radius="md" />;
  const groups = groupFailures([...list.newer.values(), ...list.rows]);
  return (
    <Table
      caption={
        list.nextCursor === null
          ? 'Failures of the last day, by cause'
          : 'The newest failures of the last day, by cause'
      }
      columns={['Flow', 'Layer', 'Error', 'Plays', 'Last']}
      empty="No play has failed since yesterday."
      rows={groups.map(({ key, newest, count, ref }) => ({
        key,
        cells: [
          <FlowLink key="flow" play={newest} />,
          ref === null ? newest.error?.ref ? 'several' : '–' : <code key="ref">{ref}</code>,
          <Link
            key="error"
            to="/plays"
            search={{ flowId: newest.flowId, state: ['FAIL'], errorCode: newest.error?.code, endedFrom }}
            title={newest.error?.message}
          >
            {newest.error?.code ?? '–'}
          </Link>,
          <span key="count" className="num">
            {list.nextCursor === null || !newest.error ? (
              count
            ) : (
              <AllOfCause play={newest} endedFrom={endedFrom} atLeast={count} />
            )}
          </span>,
          <Link key="last" to="/plays/$playId" params={{ playId: newest.id }}>
            <Time at={newest.completedAt} />
          </Link>,
        ],
      }))}
    />
  );
}

interface AllOfCauseProps {
  readonly play: Play;
  readonly endedFrom: string;
  /** As many are in the list. */
  readonly atLeast: number;
}

/** How many have failed like this one: the list has only the newest failures. */
function AllOfCause({ play: { flowId, error }, endedFrom, atLeast }: AllOfCauseProps) {
  const counts = useCounts({ flowId, errorCode: error?.code ?? '', endedFrom });
  return counts === null ? `${atLeast} +` : counts.counts.FAIL.toLocaleString();
}

function FlowLink({ play }: { readonly play: Play }) {
  return (
    <Link to="/plays" search={{ flowId: play.flowId, state: ['FAIL'] }}>
      {useFlowName(play.flowId)}
    </Link>
  );
}
