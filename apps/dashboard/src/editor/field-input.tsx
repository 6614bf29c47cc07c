import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../ui/icon';
import { useForm } from './form-context';
import { Fields } from './fields';
import { firstValue, isScalar, unknownNames, variantAt, type Args, type Field } from './form-model';
import { MapInput } from './map-input';
import { TextCode } from './text-code';
import { withoutItem } from './unreadable';
import classes from './form.module.css';

interface FieldInputProps {
  readonly field: Field;
  readonly value: unknown;
  readonly path: string;
  readonly label: string;
  readonly describedBy: string;
  readonly onChange: (value: unknown) => void;
}

/** The control of a kind of field, for values that it can show. */
export function FieldInput({ field, value, path, label, describedBy, onChange }: FieldInputProps) {
  const { isReadOnly, known } = useForm();
  switch (field.kind) {
    case 'number':
      return <NumberInput field={field} value={value} label={label} describedBy={describedBy} onChange={onChange} />;
    case 'boolean':
      return (
        <NativeSelect
          aria-label={label}
          aria-describedby={describedBy}
          classNames={{ root: classes.short ?? '' }}
          disabled={isReadOnly}
          data={typeof value !== 'boolean' && field.fallback === '' ? ['', 'true', 'false'] : ['true', 'false']}
          value={typeof value === 'boolean' ? String(value) : field.fallback}
          onChange={({ currentTarget }) => onChange(currentTarget.value === 'true')}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          aria-label={label}
          aria-describedby={describedBy}
          classNames={{ root: classes.short ?? '' }}
          disabled={isReadOnly}
          data={field.options.map(String).map((value) => ({ value, label: field.words?.[value] ?? value }))}
          value={isScalar(value) ? String(value) : field.fallback}
          onChange={({ currentTarget: { selectedIndex } }) => onChange(field.options[selectedIndex])}
        />
      );
    case 'list':
      return (
        <ListInput
          item={field.item}
          items={value as readonly unknown[]}
          path={path}
          label={label}
          onChange={onChange}
        />
      );
    case 'object':
      return <ObjectInput field={field} values={(value ?? {}) as Args} path={path} label={label} onChange={onChange} />;
    case 'variant':
      return <VariantInput {...{ field, value, path, label, describedBy, onChange }} />;
    case 'map':
      return (
        <MapInput item={field.value} entries={(value ?? {}) as Args} path={path} label={label} onChange={onChange} />
      );
    case 'program':
      return (
        <TextCode
          language="program"
          label={label}
          value={typeof value === 'string' ? value : ''}
          onChange={onChange}
          known={path === 'args.expression' ? known : undefined}
          isReadOnly={isReadOnly}
        />
      );
    default:
      return (
        <TextInput
          aria-label={label}
          aria-describedby={describedBy}
          readOnly={isReadOnly}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

interface ObjectInputProps extends Pick<FieldInputProps, 'path' | 'label' | 'onChange'> {
  readonly field: Field & { readonly kind: 'object' };
  readonly values: Args;
}

/** What the schema names, and after it what it lets one name. */
function ObjectInput({ field: { fields, rest }, values, path, label, onChange }: ObjectInputProps) {
  const others = rest ? unknownNames(fields, values) : [];
  const [named, unnamed] = [true, false].map((isNamed) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => others.includes(name) !== isNamed)),
  );
  return (
    <div className={classes.nested}>
      <Fields fields={fields} values={named ?? {}} path={path} onChange={(next) => onChange({ ...next, ...unnamed })} />
      {rest && (
        <MapInput
          item={rest}
          entries={unnamed ?? {}}
          path={path}
          label={label}
          known={fields.map(({ name }) => name)}
          onChange={(next) => onChange({ ...named, ...next })}
        />
      )}
    </div>
  );
}

interface VariantInputProps extends FieldInputProps {
  readonly field: Field & { readonly kind: 'variant' };
}

/** One of several shapes, and its fields. */
function VariantInput({ field: { variants }, value, path, label, describedBy, onChange }: VariantInputProps) {
  const { isReadOnly } = useForm();
  const at = variantAt(variants, value);
  const chosen = variants[at];
  if (!chosen) return null;
  return (
    <>
      <NativeSelect
        aria-label={`Kind of ${label}`}
        aria-describedby={describedBy}
        classNames={{ root: classes.short ?? '' }}
        disabled={isReadOnly}
        data={variants.map((each, i) => ({ value: String(i), label: each.label }))}
        value={String(at)}
        onChange={({ currentTarget: { selectedIndex } }) => {
          const next = variants[selectedIndex];
          if (next) onChange(firstValue(next.field));
        }}
      />
      <FieldInput {...{ field: chosen.field, value, path, label, describedBy, onChange }} />
    </>
  );
}

interface NumberInputProps extends Omit<FieldInputProps, 'path'> {
  readonly field: Field & { readonly kind: 'number' };
}

/** It may be empty while one types in it, also where a value must stand. */
function NumberInput({ field, value, label, describedBy, onChange }: NumberInputProps) {
  const { isReadOnly } = useForm();
  const [isEmptied, setEmptied] = useState(false);
  return (
    <TextInput
      type="number"
      aria-label={label}
      aria-describedby={describedBy}
      classNames={{ root: classes.short ?? '' }}
      readOnly={isReadOnly}
      placeholder={field.fallback}
      step={field.isInteger ? 1 : 'any'}
      {...(field.min !== null && { min: field.min })}
      {...(field.max !== null && { max: field.max })}
      value={typeof value === 'number' && !isEmptied ? value : ''}
      onChange={({ currentTarget: { value: text } }) => {
        setEmptied(text === '');
        onChange(text === '' ? undefined : Number(text));
      }}
      onBlur={() => setEmptied(false)}
    />
  );
}

interface ListInputProps {
  readonly item: Field;
  readonly items: readonly unknown[] | undefined;
  readonly path: string;
  readonly label: string;
  readonly onChange: (items: readonly unknown[]) => void;
}

function ListInput({ item, items = [], path, label, onChange }: ListInputProps) {
  const { isReadOnly, renderField, layerKey, changeUnreadable } = useForm();
  const keys = useItemKeys(items.length);
  const remove = (at: number): void => {
    changeUnreadable((now) => withoutItem(now, `${layerKey} ${path}`, at));
    keys.remove(at);
    onChange(items.filter((_, i) => i !== at));
  };
  return (
    <div className={classes.nested}>
      {items.map((each, i) =>
        renderField(
          {
            field: item,
            value: each,
            path: `${path}.${i}`,
            label: `${label} ${i + 1}`,
            compact: 'item',
            onChange: (next) => next !== undefined && onChange(items.map((other, j) => (j === i ? next : other))),
            onRemove: () => remove(i),
          },
          keys.at(i),
        ),
      )}
      {!isReadOnly && (
        <Button
          variant="subtle"
          size="compact-xs"
          className={classes.add ?? ''}
          leftSection={<Icon name="plus" size={12} />}
          onClick={() => onChange([...items, firstValue(item)])}
        >
          Add to {label}
        </Button>
      )}
    </div>
  );
}

/** Items have no names: what a row remembers of how it is shown stays with its item when another one is removed. */
export function useItemKeys(count: number) {
  const [keys, setKeys] = useState<readonly number[]>([]);
  const all = keys.slice(0, count);
  for (let next = Math.max(-1, ...keys) + 1; all.length < count; next += 1) all.push(next);
  return {
    at: (index: number): string => String(all[index]),
    remove: (index: number): void => setKeys(all.filter((_, i) => i !== index)),
  };
}
