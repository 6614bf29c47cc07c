import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Help, type DocsPlace } from './help';
import classes from './page.module.css';

interface PageProps {
  readonly title: string;
  /** Where the documents tell of it; null: it is one of them. */
  readonly help: DocsPlace | null;
  /** Beside the title: commands. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** Narrow for forms and texts. */
  readonly narrow?: boolean;
}

export function Page({ title, help, aside, children, narrow = false }: PageProps) {
  useDocumentTitle(`${title} · Weft`);
  return (
    <div className={classes.page} {...(narrow && { 'data-narrow': true })}>
      <div className={classes.head}>
        <h1 dir="auto">{title}</h1>
        {help !== null && <Help at={help} about="this page" />}
        <div className={classes.aside} data-commands>
          {aside}
        </div>
      </div>
      {children}
    </div>
  );
}
