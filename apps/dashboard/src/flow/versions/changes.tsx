import type { ChangeGroup, FieldChange } from './diff-model';
import { jsonText } from '../../values/json-text';
import classes from './versions.module.css';

const MAX_SHOWN = 4_000;

/** By layer and by field. */
export function Changes({ groups }: { readonly groups: readonly ChangeGroup[] }) {
  if (groups.length === 0) return <p className="soft">These versions are the same.</p>;
  return groups.map(({ ref, what, fields }) => (
    <section key={ref ?? ''} className={classes.group} aria-label={ref ?? 'The flow itself'}>
      <h3>
        {ref === null ? 'The flow itself' : <code>{ref}</code>}{' '}
        {what !== 'changed' && <span data-what={what}>{what}</span>}
      </h3>
      <dl>
        {fields.map((change) => (
          <Field key={change.field} change={change} />
        ))}
      </dl>
    </section>
  ));
}

function Field({ change: { field, before, after } }: { readonly change: FieldChange }) {
  return (
    <div className={classes.field}>
      <dt>
        <code>{field}</code>
      </dt>
      {before !== undefined && (
        <dd data-kind="gone">
          <span className="sr-only">before: </span>
          {shown(before)}
        </dd>
      )}
      {after !== undefined && (
        <dd data-kind="new">
          <span className="sr-only">after: </span>
          {shown(after)}
        </dd>
      )}
    </div>
  );
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : jsonText(value);
  if (text === '') return 'empty';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
}
