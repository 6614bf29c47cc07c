import { startTransition, useCallback, useEffect, useRef, useState, type ComponentType } from 'react';
import type { CodeFieldProps, Selected } from './code-field';
import { whenUsed } from './when-used';
import classes from './code-field.module.css';

/** Null until it is fetched. */
let CodeField: ComponentType<CodeFieldProps> | null = null;

async function fetchCodeField(): Promise<void> {
  await whenUsed;
  ({ CodeField } = await import('./code-field'));
}

/** The code field, and a plain one until somebody uses the page. */
export function TextCode(props: CodeFieldProps) {
  const { value, label, onChange, isReadOnly = false } = props;
  const [isPlain, setPlain] = useState(CodeField === null);
  // as a transition, which no key or click draws: in the middle of a click the focus is in neither field, and would be in none afterwards
  useEffect(() => {
    if (isPlain) void fetchCodeField().then(() => startTransition(() => setPlain(false)));
  }, [isPlain]);
  const selected = useRef<Selected>(null);
  // what is selected when the code field takes its place: the next key may be meant for all of it
  const plain = useCallback((field: HTMLTextAreaElement) => () => void (selected.current = selectedIn(field)), []);
  if (!isPlain && CodeField) return <CodeField {...props} selected={selected} />;
  return (
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
