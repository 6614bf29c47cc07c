import { useState } from 'react';
import { Icon } from '../ui/icon';
import { useForm } from './form-context';
import { firstValue, presetOf, unknownNames, withField, type Args, type Field } from './form-model';
import { goToField } from './go-to-field';
import classes from './form.module.css';

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly values: Args;
  readonly path: string;
  /** @param tag of the field that was changed */
  readonly onChange: (values: Args, tag: string) => void;
}

/** The fields that are there or must be; the others are a click away. What the schema does not know is JSON. */
export function Fields({ fields, values, path, onChange }: FieldsProps) {
  const { isReadOnly, renderField } = useForm();
  /** Without a value since somebody emptied it: it stays where they type. */
  const [emptied, setEmptied] = useState<ReadonlySet<string>>(new Set());
  const isThere = ({ name, isRequired, isShown = false }: Field): boolean =>
    isRequired || isShown || Object.hasOwn(values, name) || emptied.has(name);
  const placeOf = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const set = (name: string, value: unknown): void => onChange(withField(values, name, value), placeOf(name));
  const remove = (name: string): void => {
    setEmptied(new Set([...emptied].filter((each) => each !== name)));
    set(name, undefined);
  };
  const unknown = unknownNames(fields, values);
  const missing = fields.filter((field) => !isThere(field));
  return (
    <>
      {fields.filter(isThere).map((field) =>
        renderField(
          {
            field,
            value: values[field.name],
            path: placeOf(field.name),
            onChange: (value) => {
              if (value === undefined) setEmptied(new Set([...emptied, field.name]));
              set(field.name, value);
            },
            onRemove: field.isRequired || field.isShown ? undefined : () => remove(field.name),
          },
          field.name,
        ),
      )}
      {unknown.map((name) =>
        renderField(
          {
            field: {
              name,
              kind: 'any',
              description: 'The module does not know this field.',
              isRequired: false,
              isNullable: false,
              fallback: '',
            },
            value: values[name],
            path: placeOf(name),
            onChange: (value) => set(name, value),
            onRemove: () => set(name, undefined),
          },
          name,
        ),
      )}
      {!isReadOnly && missing.length > 0 && (
        <div className={classes.missing} role="group" aria-label="Fields that can be added">
          {missing.map((field) => (
            <button
              key={field.name}
              type="button"
              className={classes.chip}
              title={field.description}
              aria-label={`Add ${field.label ?? field.name}`}
              // the field that is left has a shorter description: this button would move away under the pointer
              onMouseDown={(event) => event.preventDefault()}
              onClick={({ currentTarget }) => {
                set(field.name, firstOf(field));
                if (currentTarget.closest('[data-layer-panel]')) goToField(placeOf(field.name));
              }}
            >
              <Icon name="plus" size={11} />
              {field.label ?? field.name}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

/** What holds anyway, where that is known: it is the best to begin with. */
function firstOf(field: Field): unknown {
  if (field.kind === 'text' || field.kind === 'any') return firstValue(field);
  if (field.kind !== 'choice') return presetOf(field) ?? firstValue(field);
  return field.options.find((each) => String(each) !== field.fallback) ?? field.options[0];
}
