import { TextInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { Icon } from './icon';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  /** @param text empty: no longer */
  readonly onFind: (text: string) => void;
  readonly maxLength?: number;
}

/** A text that is looked for when it is complete, not with each key. */
export function SearchField({ label, value = '', onFind, maxLength = 200 }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const find = (event: SyntheticEvent): void => {
    event.preventDefault();
    onFind(text.trim());
  };
  return (
    <form onSubmit={find}>
      <TextInput
        aria-label={label}
        placeholder={label}
        leftSection={<Icon name="search" size={13} />}
        maxLength={maxLength}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}
