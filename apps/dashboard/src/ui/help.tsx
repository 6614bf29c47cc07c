import classes from './help.module.css';

/** A page of the documents, or a part of one: `docs/flows.md#versions`. `npm run check` finds those that do not exist. */
export type DocsPlace = `docs/${string}.md` | `docs/${string}.md#${string}`;

interface HelpProps {
  readonly at: DocsPlace;
  /** What it is about, for those who cannot see where it stands. */
  readonly about: string;
}

/** Leads to the documents of this installation, in a tab of its own: what is typed here stays. */
export function Help({ at, about }: HelpProps) {
  return (
    <a
      href={`/${at.replace('.md', '')}`}
      target="_blank"
      className={classes.help}
      title="In the documents"
      aria-label={`Documents about ${about}`}
    >
      ?
    </a>
  );
}
