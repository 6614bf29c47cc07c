import { TextInput } from '@mantine/core';
import { faultOf } from '../api/refusal';

interface KeyFieldProps {
  readonly value: string;
  /** Of the request that sent it. */
  readonly error: unknown;
  readonly onChange: (key: string) => void;
}

export function KeyField({ value, error, onChange }: KeyFieldProps) {
  return (
    <TextInput
      label="Key"
      description="What layers name it by, in every installation. Without one they name its id."
      spellCheck={false}
      placeholder="orders"
      value={value}
      error={faultOf(error, 'key')}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
