import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { itemsQuery } from './queries';
import classes from './play.module.css';

/** The plays that the items of a loop have started. */
export function StartedPlays({ playId, layer }: { readonly playId: string; readonly layer: string }) {
  const { data, error } = useQuery(itemsQuery(playId, layer));
  if (!data) return <p className="soft">{error ? 'The plays cannot be read now.' : 'Reading …'}</p>;
  const started = data.items.flatMap(({ index, playId: child, state }) => (child ? [{ index, child, state }] : []));
  if (started.length === 0) return <p className="soft">It has started no play yet.</p>;
  return (
    <>
      <ul className={classes.attempts}>
        {started.map(({ index, child, state }) => (
          <li key={index}>
            <Link to="/plays/$playId" params={{ playId: child }}>
              Item {index}
            </Link>{' '}
            <span className="soft">{state}</span>
          </li>
        ))}
      </ul>
      {data.nextCursor && <p className="soft">These are the first {started.length}.</p>}
    </>
  );
}
