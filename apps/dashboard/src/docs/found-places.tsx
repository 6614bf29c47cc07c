import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { findPlaces } from './find-places';
import { PAGES } from './pages';
import classes from './docs.module.css';

const NONE: ReadonlyMap<string, readonly string[]> = new Map();

interface FoundPlacesProps {
  readonly text: string;
  readonly onGo: () => void;
}

export function FoundPlaces({ text, onGo }: FoundPlacesProps) {
  const { data: said } = useQuery({
    queryKey: ['docs', 'words'],
    queryFn: async () => (await import('./words')).WORDS,
    staleTime: Infinity,
  });
  const found = findPlaces(PAGES, said ?? NONE, text);
  return (
    <section className={`panel ${classes.found ?? ''}`} aria-label="Found">
      <p role="status" className="soft">
        {found.length === 0 ? (said ? 'Nothing has all of these words.' : 'Looking …') : `${found.length} found`}
      </p>
      <ul>
        {found.map(({ page, place }) => (
          <li key={`${page.path} ${place?.id ?? ''}`}>
            <Link to="/docs/$" params={{ _splat: page.path }} {...(place && { hash: place.id })} onClick={onGo}>
              {place?.text ?? page.title}
            </Link>{' '}
            {place && <span className="soft">{page.title}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
