import { ActionIcon, Menu } from '@mantine/core';
import { useId, useState } from 'react';
import { Icon } from '../ui/icon';
import { FieldInput } from './field-input';
import { canShow, firstValue, modeOf, type Field, type Mode } from './form-model';
import { useForm, type FieldRowProps } from './form-context';
import { JsonField } from './json-field';
import { faultAt } from './problems';
import { TextCode } from './text-code';
import { ValueHint } from './value-hint';
import classes from './form.module.css';

/** One field: its name, what it is for, the value as the form, as an expression or as JSON, and what is wrong with it. */
export function FieldRow({ field, value, path, onChange, onRemove, label = field.name, compact }: FieldRowProps) {
  const { isReadOnly, problems, known, choicesOf } = useForm();
  const [chosen, setChosen] = useState<Mode | null>(null);
  const id = useId();
  const mode = chosen !== null && isPossible(chosen, field, value) ? chosen : modeOf(field, value);
  const fault = faultAt(problems, path, mode !== 'form' || !hasFieldsWithin(field));
  const change = (next: Mode): void => {
    setChosen(next);
    if (next === 'text' && typeof value !== 'string') onChange('{{  }}');
    if (next === 'form' && !canShow(field, value)) onChange(firstValue(field));
  };
  const text = typeof value === 'string' ? value : '';
  const isText = mode === 'text' || (mode === 'form' && (field.kind === 'text' || field.kind === 'any'));
  const choices = isText ? choicesOf(path) : undefined;
  const meant = choices?.find((each) => each.value === text && each.label !== text);
  const isLine = compact !== undefined && mode !== 'json' && !hasFieldsWithin(field);
  return (
    <div
      className={classes.row}
      data-path={path}
      role="group"
      aria-label={label}
      {...(isLine && { 'data-compact': compact })}
    >
      <div className={classes.rowHead}>
        <span className={classes.name} data-required={field.isRequired || undefined}>
          {label}
        </span>
        {field.description !== '' && (
          <span className={classes.says} id={id} title={field.description}>
            {field.description}
          </span>
        )}
        {!isReadOnly && (
          <Modes field={field} mode={mode} value={value} label={label} onMode={change} onRemove={onRemove} />
        )}
      </div>
      {mode === 'json' ? (
        <JsonField value={value} label={label} path={path} onChange={onChange} />
      ) : isText ? (
        <TextCode
          language="expression"
          label={label}
          value={text}
          onChange={onChange}
          known={known}
          choices={choices}
          isReadOnly={isReadOnly}
          isInvalid={fault !== undefined}
          describedBy={field.description === '' ? undefined : id}
          hint={field.fallback}
        />
      ) : (
        <FieldInput field={field} value={value} path={path} label={label} onChange={onChange} describedBy={id} />
      )}
      {meant && <p className={classes.hint}>{meant.label}</p>}
      {isText && <ValueHint known={known} text={text} />}
      {fault !== undefined && <p className={classes.fault}>{fault}</p>}
    </div>
  );
}

function isPossible(mode: Mode, field: Field, value: unknown): boolean {
  if (mode === 'json') return true;
  return mode === 'text' ? typeof value === 'string' : value === undefined || canShow(field, value);
}

const hasFieldsWithin = ({ kind }: Field): boolean => kind === 'object' || kind === 'map' || kind === 'list';

interface ModesProps {
  readonly field: Field;
  readonly mode: Mode;
  readonly value: unknown;
  readonly label: string;
  readonly onMode: (mode: Mode) => void;
  readonly onRemove: (() => void) | undefined;
}

function Modes({ field, mode, value, label, onMode, onRemove }: ModesProps) {
  const isPlain = field.kind === 'word' || field.kind === 'program';
  const isText = field.kind === 'text' || field.kind === 'any';
  if (isPlain && !onRemove) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={24} aria-label={`More for ${label}`}>
          <Icon name="more" size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mode !== 'form' && (canShow(field, value) || mode === 'text') && (
          <Menu.Item onClick={() => onMode('form')}>{isText ? 'Edit as text' : 'Edit as a value'}</Menu.Item>
        )}
        {mode !== 'text' && !isText && !isPlain && (
          <Menu.Item onClick={() => onMode('text')}>Write an expression instead</Menu.Item>
        )}
        {mode !== 'json' && !isPlain && <Menu.Item onClick={() => onMode('json')}>Edit as JSON</Menu.Item>}
        {onRemove && <Menu.Item onClick={onRemove}>Leave it out</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
