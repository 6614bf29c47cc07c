import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../ui/icon';
import { useForm } from './form-context';
import { firstValue, withField, type Args, type Field } from './form-model';
import classes from './form.module.css';

interface MapInputProps {
  readonly item: Field;
  readonly entries: Args;
  readonly path: string;
  readonly label: string;
  /** Names that are shown elsewhere. */
  readonly known?: readonly string[];
  readonly onChange: (entries: Args) => void;
}

/** Values under names of the user's own. */
export function MapInput({ item, entries, path, label, known = [], onChange }: MapInputProps) {
  const { isReadOnly, renderField } = useForm();
  const [name, setName] = useState('');
  const isTaken = Object.hasOwn(entries, name) || known.includes(name);
  const add = (): void => {
    if (name === '' || isTaken) return;
    onChange({ ...entries, [name]: firstValue(item) });
    setName('');
  };
  return (
    <div className={classes.nested}>
      {Object.entries(entries).map(([key, value]) =>
        renderField(
          {
            field: item,
            value,
            path: `${path}.${key}`,
            label: key,
            compact: 'entry',
            onChange: (next) => next !== undefined && onChange({ ...entries, [key]: next }),
            onRemove: () => onChange(withField(entries, key, undefined)),
          },
          key,
        ),
      )}
      {!isReadOnly && (
        <div className={classes.newEntry} data-own-undo>
          <TextInput
            aria-label={`New name in ${label}`}
            placeholder="name"
            value={name}
            error={isTaken ? 'This name is there.' : undefined}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              // a dialog around it is not sent
              event.preventDefault();
              add();
            }}
          />
          <Button
            variant="subtle"
            size="compact-xs"
            leftSection={<Icon name="plus" size={12} />}
            disabled={name === '' || isTaken}
            onClick={add}
          >
            Add to {label}
          </Button>
        </div>
      )}
    </div>
  );
}
