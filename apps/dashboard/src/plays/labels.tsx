import { Link } from '@tanstack/react-router';
import type { PlaysPageSearch } from './plays-search';
import classes from './labels.module.css';

interface LabelsProps {
  readonly labels: Readonly<Record<string, string>>;
  /** What is shown now: a label narrows it further. */
  readonly search?: PlaysPageSearch;
}

/** Labels of a play: each leads to all plays that have it. */
export function Labels({ labels, search = {} }: LabelsProps) {
  return Object.entries(labels).map(([key, value]) => {
    const label = `${key}:${value}`;
    const others = (search.label ?? []).filter((each) => each !== label);
    return (
      <Link
        key={key}
        to="/plays"
        search={{ ...search, label: [...others, label] }}
        className={classes.label}
        title={`Plays with ${label}`}
        dir="auto"
      >
        <span>{key}:</span>
        {value}
      </Link>
    );
  });
}
