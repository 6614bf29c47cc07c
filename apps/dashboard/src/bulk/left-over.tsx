import { isFinal, PLAY_STATES } from '@weft/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFlowName } from '../flows/flow-names';
import { useLiveMessages } from '../live/live';
import type { Play } from '../plays/play';
import type { PlaysSearch } from '../plays/plays-search';
import { readPlays } from '../plays/read-plays';
import { StateBadge } from '../ui/state-badge';
import type { Bulk } from './bulk';
import classes from './bulk.module.css';

interface LeftOverProps {
  readonly bulk: Bulk;
  readonly ids: readonly string[] | null;
  readonly search: PlaysSearch;
  readonly rows: readonly Play[];
}

const SHOWN = 50;

/** After the end: the plays that were not changed, as far as their state or the stream says which. */
export function LeftOver({ bulk, ids, search, rows }: LeftOverProps) {
  const [retried, setRetried] = useState<ReadonlySet<string>>(new Set());
  useLiveMessages(
    ({ play }) => {
      const { retryOf = null } = play ?? {};
      if (retryOf !== null) setRetried((before) => new Set(before).add(retryOf));
    },
    () => undefined,
  );
  const hasLeft = bulk.state !== 'running' && bulk.skipped + bulk.failed > 0;
  const open = useQuery({
    queryKey: ['bulk-left', bulk.id],
    enabled: hasLeft && ids === null && bulk.action === 'cancel',
    queryFn: async () => (await readPlays(openOf(search, bulk.createdAt), { size: SHOWN })).items,
    staleTime: Infinity,
  });
  if (!hasLeft) return null;
  const isLeft = ({ id, state }: Play): boolean =>
    bulk.action === 'cancel' ? !isFinal(state) : state === 'FAIL' && !retried.has(id);
  const left = ids === null ? (open.data ?? []) : rows.filter((play) => ids.includes(play.id) && isLeft(play));
  if (left.length === 0) return null;
  return (
    <>
      <h3>Not changed</h3>
      <ul className={classes.left}>
        {left.slice(0, SHOWN).map((play) => (
          <li key={play.id}>
            <Link to="/plays/$playId" params={{ playId: play.id }} className="mono">
              {play.id}
            </Link>
            <StateBadge state={play.state} />
            <FlowName id={play.flowId} />
          </li>
        ))}
      </ul>
      {left.length > SHOWN && <p className="soft">and {left.length - SHOWN} more</p>}
    </>
  );
}

/** What of the filter is still open, of the plays that were meant. */
function openOf(search: PlaysSearch, startedAt: string): PlaysSearch {
  const open = PLAY_STATES.filter((state) => !isFinal(state) && (search.state?.includes(state) ?? true));
  const to = search.to !== undefined && search.to < startedAt ? search.to : startedAt;
  return { ...search, state: open, to };
}

function FlowName({ id }: { readonly id: string }) {
  return (
    <span className="clip soft" dir="auto">
      {useFlowName(id)}
    </span>
  );
}
