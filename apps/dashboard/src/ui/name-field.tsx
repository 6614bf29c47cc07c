import { TextInput } from '@mantine/core';
import { faultOf } from '../api/refusal';

interface NameFieldProps {
  readonly value: string;
  /** Of the request that sent it. */
  readonly error: unknown;
  readonly onChange: (name: string) => void;
}

/** The name of a thing, first in its dialog. */
export function NameField({ value, error, onChange }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      required
      maxLength={200}
      data-autofocus
      value={value}
      error={faultOf(error, 'name')}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
