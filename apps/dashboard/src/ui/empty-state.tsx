import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** What is shown where a list has nothing: why, and what to do next. */
export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className={classes.box}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
