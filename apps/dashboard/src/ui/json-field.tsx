import { Textarea } from '@mantine/core';
import { readObject } from '../values/json-text';

interface JsonFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Of the server. */
  readonly error?: string | undefined;
  readonly minRows?: number;
  readonly isFocused?: boolean;
}

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: 1.5 } };

/** An object as JSON. */
export function JsonField({ label, description, value, onChange, error, minRows = 4, isFocused }: JsonFieldProps) {
  const read = readObject(value);
  return (
    <Textarea
      label={label}
      description={description}
      autosize
      minRows={minRows}
      maxRows={20}
      spellCheck={false}
      styles={MONO}
      value={value}
      error={'fault' in read ? read.fault : error}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...(isFocused && { 'data-autofocus': true, autoFocus: true })}
    />
  );
}
