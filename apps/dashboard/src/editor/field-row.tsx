import { useId, useState } from 'react';
import { FieldInput } from './field-input';
import { canShow, firstValue, isScalar, modeOf, valueOfText, type Field, type Mode } from './form-model';
import { useForm, type FieldRowProps } from './form-context';
import { JsonField } from './json-field';
import { MenuButton, type Command } from './menu-button';
import { faultAt } from './problems';
import { TextCode } from './text-code';
import { withText } from './unreadable';
import { ValueHint } from './value-hint';
import classes from './form.module.css';

/** One field: its name, what it is for, the value as the form, as an expression or as JSON, and what is wrong with it. */
export function FieldRow({
  field,
  value,
  path,
  onChange,
  onRemove,
  label = field.label ?? field.name,
  compact,
}: FieldRowProps) {
  const { isReadOnly, renderText, problems, known, choicesOf, layerKey, unreadable, changeUnreadable } = useForm();
  const isPlain = renderText !== undefined;
  const [chosen, setChosen] = useState<Mode | null>(null);
  const id = useId();
  const place = `${layerKey} ${path}`;
  const mode = unreadable.has(place)
    ? 'json'
    : chosen !== null && isPossible(chosen, field, value)
      ? chosen
      : modeIn(isPlain, field, value);
  const fault = faultAt(problems, path, mode !== 'form' || !hasFieldsWithin(field));
  const forget = (): void => changeUnreadable((now) => withText(now, place, null));
  const change = (next: Mode): void => {
    setChosen(next);
    forget();
    if (next === 'text' && typeof value !== 'string') onChange('{{  }}');
    if (next === 'form' && !canShow(field, value)) onChange(firstValue(field));
  };
  const remove =
    onRemove &&
    (() => {
      forget();
      onRemove();
    });
  const text = mode === 'text' && isScalar(value) ? String(value) : typeof value === 'string' ? value : '';
  const write = (next: string): void => {
    // the field stays as it is while one types in it
    if (mode === 'text') setChosen('text');
    onChange(mode === 'text' ? valueOfText(field, next) : next);
  };
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
        <span
          className={classes.name}
          data-required={field.isRequired || undefined}
          {...(field.label !== undefined && { title: field.name })}
        >
          {label}
        </span>
        {field.description !== '' && (
          <span className={classes.says} id={id} title={field.description}>
            {field.description}
          </span>
        )}
        {!isReadOnly && (
          <Modes
            field={field}
            mode={mode}
            value={value}
            label={label}
            onMode={change}
            onNull={() => {
              setChosen(null);
              forget();
              onChange(null);
            }}
            onRemove={remove}
          />
        )}
      </div>
      {mode === 'json' ? (
        <JsonField value={value} label={label} path={path} onChange={onChange} />
      ) : isText && renderText ? (
        renderText({
          label,
          value: text,
          hint: field.fallback,
          isInvalid: fault !== undefined,
          describedBy: field.description === '' ? undefined : id,
          onChange,
        })
      ) : isText ? (
        <TextCode
          language="expression"
          label={label}
          value={text}
          onChange={write}
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
      {!isReadOnly && field.name === 'integrationId' && choices?.length === 0 && <NoLinkYet />}
      {isText && !isPlain && <ValueHint known={known} text={text} />}
      {fault !== undefined && <p className={classes.fault}>{fault}</p>}
    </div>
  );
}

/** In another tab: nothing of the draft is lost. */
function NoLinkYet() {
  return (
    <p className={classes.hint}>
      There is no integration link yet.{' '}
      <a href="/admin/integrations" target="_blank" rel="noreferrer">
        Make one
      </a>
    </p>
  );
}

/** An expression cannot stand in the place of a value that is sent as it is. */
function modeIn(isPlain: boolean, field: Field, value: unknown): Mode {
  const mode = modeOf(field, value);
  return isPlain && mode === 'text' ? 'json' : mode;
}

function isPossible(mode: Mode, field: Field, value: unknown): boolean {
  if (mode === 'json') return true;
  return mode === 'text' ? isScalar(value) : value === undefined || canShow(field, value);
}

const WITH_FIELDS: readonly Field['kind'][] = ['object', 'map', 'list', 'variant'];
const hasFieldsWithin = ({ kind }: Field): boolean => WITH_FIELDS.includes(kind);

interface ModesProps {
  readonly field: Field;
  readonly mode: Mode;
  readonly value: unknown;
  readonly label: string;
  readonly onMode: (mode: Mode) => void;
  readonly onNull: () => void;
  readonly onRemove: (() => void) | undefined;
}

function Modes({ field, mode, value, label, onMode, onNull, onRemove }: ModesProps) {
  const takesValues = useForm().renderText !== undefined;
  const isPlain = field.kind === 'word' || field.kind === 'program';
  const isText = field.kind === 'text' || field.kind === 'any';
  if (isPlain && !onRemove) return null;
  const commands = (): readonly Command[] => [
    ...(mode !== 'form' && (canShow(field, value) || mode === 'text')
      ? ([[isText ? 'Edit as text' : 'Edit as a value', () => onMode('form')]] as const)
      : []),
    ...(mode !== 'text' && !isText && !isPlain && !takesValues
      ? ([['Write an expression instead', () => onMode('text')]] as const)
      : []),
    ...(mode !== 'json' && !isPlain ? ([['Edit as JSON', () => onMode('json')]] as const) : []),
    ...(field.isNullable && value !== null && !isPlain ? ([['Send null', onNull]] as const) : []),
    ...(onRemove ? ([['Leave it out', onRemove]] as const) : []),
  ];
  return <MenuButton label={`More for ${label}`} commands={commands} />;
}
