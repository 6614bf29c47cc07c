import { Button, TextInput } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import { Icon } from '../ui/icon';
import classes from './editor.module.css';

interface FoundItem {
  readonly id: string;
  readonly title: string;
  readonly code: string;
  readonly description: string;
}

interface SearchListProps {
  /** What they are, in lower case and the plural; unique on the page. */
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly items: readonly FoundItem[];
  readonly onChoose: (at: number) => void;
  /** Said where nothing is found. */
  readonly empty: string;
}

/** A list with a search, by keyboard and by pointer. */
export function SearchList({ label, placeholder, text, onText, items, onChoose, empty }: SearchListProps) {
  const [at, setAt] = useState(0);
  const chosen = Math.min(at, items.length - 1);
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) setAt(Math.max(0, Math.min(chosen + by, items.length - 1)));
    else if (event.key === 'Enter' && items[chosen]) onChoose(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <div className={classes.modules} data-own-undo>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={`Search ${label}`}
        aria-expanded
        aria-controls={label}
        aria-activedescendant={items[chosen] && `${label}-${items[chosen].id}`}
        placeholder={placeholder}
        leftSection={<Icon name="search" size={13} />}
        value={text}
        onChange={(event) => {
          onText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id={label} role="listbox" aria-label={`Found ${label}`} className={classes.moduleList}>
        {items.map(({ id, title, code, description }, i) => (
          <div
            key={id}
            id={`${label}-${id}`}
            role="option"
            aria-selected={i === chosen}
            className={classes.module}
            onClick={() => onChoose(i)}
            onPointerMove={() => setAt(i)}
          >
            <strong>{title}</strong> <code className="soft">{code}</code>
            <span className="soft">{description}</span>
          </div>
        ))}
      </div>
      {items.length === 0 && (
        <p className="soft">
          {empty}{' '}
          {text !== '' && (
            <Button size="compact-xs" variant="default" onClick={() => onText('')}>
              Show all
            </Button>
          )}
        </p>
      )}
    </div>
  );
}
