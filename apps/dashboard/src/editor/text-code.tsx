import { lazy, Suspense } from 'react';
import type { CodeFieldProps } from './code-field';
import classes from './code-field.module.css';

const CodeField = lazy(async () => ({ default: (await import('./code-field')).CodeField }));

/** The code field, and a plain one until it is loaded. */
export function TextCode(props: CodeFieldProps) {
  const { value, label, onChange, isReadOnly = false } = props;
  return (
    <Suspense
      fallback={
        <div className={classes.box}>
          <textarea
            className={classes.plain}
            rows={1}
            aria-label={label}
            readOnly={isReadOnly}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </div>
      }
    >
      <CodeField {...props} />
    </Suspense>
  );
}
