import { Button, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { Icon } from '../ui/icon';
import { useForm } from './form-context';
import { Fields } from './fields';
import { firstValue, type Args, type Field } from './form-model';
import { MapInput } from './map-input';
import { TextCode } from './text-code';
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
          value={typeof value === 'number' ? value : ''}
          onChange={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : Number(text))}
        />
      );
    case 'boolean':
      return (
        <SegmentedControl
          aria-label={label}
          classNames={{ root: classes.short ?? '' }}
          readOnly={isReadOnly}
          data={['true', 'false']}
          value={typeof value === 'boolean' ? String(value) : field.fallback}
          onChange={(text) => onChange(text === 'true')}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          size="xs"
          aria-label={label}
          aria-describedby={describedBy}
          classNames={{ root: classes.short ?? '' }}
          disabled={isReadOnly}
          data={[...field.options]}
          value={typeof value === 'string' ? value : field.fallback}
          onChange={(event) => onChange(event.currentTarget.value)}
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
      return (
        <div className={classes.nested}>
          <Fields fields={field.fields} values={(value ?? {}) as Args} path={path} onChange={onChange} />
        </div>
      );
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

interface ListInputProps {
  readonly item: Field;
  readonly items: readonly unknown[] | undefined;
  readonly path: string;
  readonly label: string;
  readonly onChange: (items: readonly unknown[]) => void;
}

function ListInput({ item, items = [], path, label, onChange }: ListInputProps) {
  const { isReadOnly, renderField } = useForm();
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
            onChange: (next) => onChange(items.map((other, j) => (j === i ? (next ?? null) : other))),
            onRemove: () => onChange(items.filter((_, j) => j !== i)),
          },
          String(i),
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
