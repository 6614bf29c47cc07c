import { lazy, Suspense, useRef } from 'react';
import type { CodeFieldProps } from './code-field';
import { whenUsed } from './when-used';
import classes from './code-field.module.css';

const CodeField = lazy(async () => {
  await whenUsed;
  return { default: (await import('./code-field')).CodeField };
});

/** The code field, and a plain one until somebody uses the page. */
export function TextCode(props: CodeFieldProps) {
  const { value, label, onChange, isReadOnly = false } = props;
  const caret = useRef<number>(null);
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
            onFocus={({ currentTarget }) => (caret.current = currentTarget.selectionStart)}
            onSelect={({ currentTarget }) => (caret.current = currentTarget.selectionStart)}
            onBlur={() => (caret.current = null)}
            onChange={({ currentTarget }) => {
              caret.current = currentTarget.selectionStart;
              onChange(currentTarget.value);
            }}
          />
        </div>
      }
    >
      <CodeField {...props} caret={caret} />
    </Suspense>
  );
}
