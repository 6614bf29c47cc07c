import type { Report } from './queries';
import classes from './apis.module.css';

/** What was taken of the document, what was left out, and what was taken otherwise. */
export function ImportReport({ report }: { readonly report: Report }) {
  const { operations, skipped, skippedCount, warnings, warningsCount } = report;
  return (
    <section className={classes.section} aria-label="Report of the import">
      <h2>Report of the import</h2>
      <p>
        {operations === 1 ? '1 operation was' : `${operations.toLocaleString()} operations were`} taken
        {skippedCount + warningsCount === 0 ? ', each as the document says.' : '.'}
      </p>
      <Findings title="Left out" count={skippedCount} findings={skipped} />
      <Findings title="Taken otherwise than the document says" count={warningsCount} findings={warnings} />
    </section>
  );
}

interface FindingsProps {
  readonly title: string;
  /** All of them; the first ones are in `findings`. */
  readonly count: number;
  readonly findings: Report['skipped'];
}

function Findings({ title, count, findings }: FindingsProps) {
  if (count === 0) return null;
  return (
    <details className={classes.findings}>
      <summary>
        {title}: {count.toLocaleString()}
      </summary>
      <ul>
        {findings.map(({ path, reason }, i) => (
          <li key={i}>
            <code>{path}</code> {reason}
          </li>
        ))}
      </ul>
      {count > findings.length && <p className="soft">and {(count - findings.length).toLocaleString()} more</p>}
    </details>
  );
}
