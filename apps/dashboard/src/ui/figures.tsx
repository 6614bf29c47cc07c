import { Skeleton } from '@mantine/core';
import classes from './figures.module.css';

export interface Figure {
  readonly name: string;
  /** Null: not known yet. */
  readonly value: string | null;
  readonly note: string;
  readonly isBad?: boolean;
}

/** A row of cards, each with a number that one looks for first. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(({ name, value, note, isBad }) => (
        <div key={name} className={`panel ${classes.figure}`}>
          <dt>{name}</dt>
          <dd {...(isBad && { 'data-bad': true })}>{value ?? <Skeleton height={24} width={70} />}</dd>
          <dd className={classes.note}>{note}</dd>
        </div>
      ))}
    </dl>
  );
}
