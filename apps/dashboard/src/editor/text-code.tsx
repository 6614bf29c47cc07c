import { lazy, Suspense, useState } from 'react';
import type { CodeFieldProps } from './code-field';
import classes from './code-field.module.css';

const load = import('./code-field');
const CodeField = lazy(async () => ({ default: (await load).CodeField }));

/** The code field, and a plain one until it is loaded. */
export function TextCode(props: CodeFieldProps) {
  const { value, label, onChange, isReadOnly = false } = props;
  const [hasFocus, setFocus] = useState(false);
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
            onFocus={() => setFocus(true)}
            onBlur={() => setFocus(false)}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </div>
      }
    >
      <CodeField {...props} takesFocus={hasFocus} />
    </Suspense>
  );
}
