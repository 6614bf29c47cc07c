import { Link } from '@tanstack/react-router';
import { findPlaces } from './find-places';
import { PAGES } from './pages';
import classes from './docs.module.css';

interface FoundPlacesProps {
  readonly text: string;
  readonly onGo: () => void;
}

export function FoundPlaces({ text, onGo }: FoundPlacesProps) {
  const found = findPlaces(PAGES, text);
  return (
    <section className={`panel ${classes.found ?? ''}`} aria-label="Found">
      <p role="status" className="soft">
        {found.length === 0 ? 'No title and no heading has these words.' : `${found.length} found`}
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
