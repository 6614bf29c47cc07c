import { lazy, Suspense, useCallback, useRef } from 'react';
import type { CodeFieldProps, Selected } from './code-field';
import { whenUsed } from './when-used';
import classes from './code-field.module.css';

const CodeField = lazy(async () => {
  await whenUsed;
  return { default: (await import('./code-field')).CodeField };
});

/** The code field, and a plain one until somebody uses the page. */
export function TextCode(props: CodeFieldProps) {
  const { value, label, onChange, isReadOnly = false } = props;
  const selected = useRef<Selected>(null);
  // what is selected when the code field takes its place: the next key may be meant for all of it
  const plain = useCallback((field: HTMLTextAreaElement) => () => void (selected.current = selectedIn(field)), []);
  return (
    <Suspense
      fallback={
        <div className={classes.box}>
          <textarea
            ref={plain}
            className={classes.plain}
            rows={1}
            aria-label={label}
            readOnly={isReadOnly}
            value={value}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
        </div>
      }
    >
      <CodeField {...props} selected={selected} />
    </Suspense>
  );
}

/** Null: the focus is elsewhere. */
function selectedIn(field: HTMLTextAreaElement): Selected | null {
  if (document.activeElement !== field) return null;
  const { selectionStart, selectionEnd, selectionDirection } = field;
  return selectionDirection === 'backward'
    ? { anchor: selectionEnd, head: selectionStart }
    : { anchor: selectionStart, head: selectionEnd };
}
