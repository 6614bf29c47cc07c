import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLiveMessages } from '../live/live';
import { useFlowName } from '../flows/flow-names';
import type { Play } from '../plays/play';
import { isMended } from '../plays/mended';
import { useCounts } from '../plays/use-counts';
import { useLivePlays } from '../plays/use-plays';
import { ErrorNotice } from '../ui/error-notice';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { groupFailures } from './group-failures';

const DAY_MS = 86_400_000;
/** Many retries may end in one moment. */
const TOGETHER_MS = 2_000;

/** The newest failures that no retry has mended, those of one cause together: what to repair first. */
export function Failures() {
  const [endedFrom] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const search = useMemo(() => ({ state: ['FAIL' as const], mended: 'false' as const, endedFrom }), [endedFrom]);
  const { list, error, reload } = useLivePlays(search);
  useMends(reload);
  if (error !== null) return <ErrorNotice error={error} onRetry={reload} />;
  if (list === null) return <Skeleton height={160} radius="md" />;
  const left = list.rows.filter(({ id }) => !list.leaving.has(id));
  const groups = groupFailures([...list.newer.values(), ...left]);
  return (
    <Table
      caption={list.nextCursor === null ? 'Failures to mend, by cause' : 'The newest failures to mend, by cause'}
      columns={['Flow', 'Layer', 'Error', 'Plays', 'Last']}
      empty="Every failure since yesterday is mended, if there was one."
      rows={groups.map(({ key, newest, count, ref }) => ({
        key,
        cells: [
          <FlowLink key="flow" play={newest} />,
          ref === null ? newest.error?.ref ? 'several' : '–' : <code key="ref">{ref}</code>,
          <Link
            key="error"
            to="/plays"
            search={{
              flowId: newest.flowId,
              state: ['FAIL'],
              mended: 'false',
              errorCode: newest.error?.code,
              endedFrom,
            }}
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

/** A retry mends every failure of its chain: which these are, the API says. */
function useMends(reload: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveMessages(
    ({ play }) => {
      if (play?.retryOf == null || !isMended(play)) return;
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        reload();
      }, TOGETHER_MS);
    },
    () => undefined,
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
  const counts = useCounts({ flowId, mended: 'false', errorCode: error?.code ?? '', endedFrom });
  return counts === null ? `${atLeast} +` : counts.counts.FAIL.toLocaleString();
}

function FlowLink({ play }: { readonly play: Play }) {
  return (
    <Link to="/plays" search={{ flowId: play.flowId, state: ['FAIL'], mended: 'false' }} dir="auto">
      {useFlowName(play.flowId)}
    </Link>
  );
}
