import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useLivePlays } from '../plays/use-plays';
import { STATES } from '../ui/state-badge';
import { Time, exactTime } from '../ui/time';
import { shownAll } from '../plays/list-state';
import classes from './flow.module.css';

/** In one line, on narrow screens too. */
const SHOWN = 13;

/** The last plays of a flow, the newest first: a square each, live. */
export function RecentPlays({ flowId }: { readonly flowId: string }) {
  const search = useMemo(() => ({ flowId }), [flowId]);
  const { list } = useLivePlays(search);
  if (list === null) return null;
  const plays = shownAll(list).rows.slice(0, SHOWN);
  const [last] = plays;
  if (!last) return <span className="soft">It never ran.</span>;
  return (
    <div className={classes.recent}>
      <span className="soft">Last plays</span>
      <ul aria-label="Last plays, the newest first">
        {plays.map(({ id, state, createdAt }) => (
          <li key={id}>
            <Link
              to="/plays/$playId"
              params={{ playId: id }}
              data-state={state}
              title={`${STATES[state]?.word}, ${exactTime(createdAt)}`}
            >
              <span className="sr-only">
                {STATES[state]?.word}, {exactTime(createdAt)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <Link to="/plays" search={{ flowId }}>
        all
      </Link>
      <span className="soft">
        the last <Time at={last.createdAt} />
      </span>
    </div>
  );
}
