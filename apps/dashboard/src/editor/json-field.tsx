import { parseJson } from '@weft/client';
import { useState } from 'react';
import { jsonText } from '../values/json-text';
import { useForm } from './form-context';
import { TextCode } from './text-code';
import { withText } from './unreadable';
import classes from './form.module.css';

interface JsonFieldProps {
  readonly value: unknown;
  readonly label: string;
  /** Where it is in the layer. */
  readonly path: string;
  readonly onChange: (value: unknown) => void;
  /** Says what is wrong with a value that can be read. */
  readonly check?: (value: unknown) => string | null;
}

/** Any value as JSON. A text that cannot be read stays where it is until it can. */
export function JsonField({ value, label, path, onChange, check }: JsonFieldProps) {
  const { layerKey, unreadable, changeUnreadable, isReadOnly } = useForm();
  const place = `${layerKey} ${path}`;
  const kept = unreadable.get(place);
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: unknown } | null>(null);
  // what was typed is shown as it was typed while it means the value, and else the value
  const text = kept ?? (typed && typed.value === value ? typed.text : jsonText(value));
  const fault = kept === undefined ? null : faultOf(kept, check);
  const change = (next: string): void => {
    const wrong = faultOf(next, check);
    changeUnreadable((now) => withText(now, place, wrong === null ? null : next));
    if (wrong !== null) return;
    const read = parseJson(next);
    setTyped({ text: next, value: read });
    onChange(read);
  };
  return (
    <>
      <TextCode
        language="json"
        label={`${label} as JSON`}
        value={text}
        onChange={change}
        isReadOnly={isReadOnly}
        isInvalid={fault !== null}
      />
      {fault !== null && (
        <p className={classes.fault} role="alert">
          {fault}
        </p>
      )}
    </>
  );
}

function faultOf(text: string, check: JsonFieldProps['check']): string | null {
  try {
    const value = parseJson(text);
    return check?.(value) ?? null;
  } catch (error) {
    return error instanceof Error ? `This is no JSON yet: ${error.message}` : 'This is no JSON yet.';
  }
}
