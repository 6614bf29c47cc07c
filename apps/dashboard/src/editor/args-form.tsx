import { useMemo } from 'react';
import { FieldRow } from './field-row';
import { Fields } from './fields';
import { FormContext, type FormState, type PlainTextProps } from './form-context';
import { fieldsOfSchema, firstArgs, type Args, type Schema } from './form-model';
import type { Problem } from './problems';
import type { Unreadable } from './unreadable';
import code from './code-field.module.css';
import classes from './form.module.css';

interface ArgsFormProps {
  /** The flow's schema of its args. */
  readonly schema: Schema;
  readonly args: Args;
  /** What was refused, by its path: `args.order.id`. */
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  readonly unreadable: Unreadable;
  readonly onUnreadable: FormState['changeUnreadable'];
  readonly onChange: (args: Args) => void;
}

const KEY = 'args';
const NOTHING_KNOWN: FormState['known'] = { refs: [], args: undefined, argsShape: {}, outs: new Map(), isLoop: false };

/** The args of a run as a form: values as they are, no expressions. */
export function ArgsForm({ schema, args, faults, unreadable, onUnreadable, onChange }: ArgsFormProps) {
  const fields = useMemo(() => fieldsOfSchema(schema), [schema]);
  const problems = faults.map(({ path, message }): Problem => ({ key: KEY, field: path, message, isError: true }));
  const form: FormState = {
    layerKey: KEY,
    renderText: (props) => <PlainText {...props} />,
    isReadOnly: false,
    known: NOTHING_KNOWN,
    choicesOf: () => undefined,
    problems,
    unreadable,
    changeUnreadable: onUnreadable,
    renderField: (field, key) => <FieldRow key={key} {...field} />,
  };
  // those of the whole, and of fields that the schema does not name
  const shown = new Set(Object.keys(args).concat(fields.map(({ name }) => name)));
  const others = faults.filter(({ path }) => !shown.has(path.split('.')[1] ?? ''));
  return (
    <FormContext value={form}>
      <div className={classes.form} role="group" aria-label="Arguments">
        <Fields fields={fields} values={args} path={KEY} onChange={(next) => onChange(next)} />
        {others.map(({ path, message }) => (
          <p key={path + message} className={classes.fault}>
            {path}: {message}
          </p>
        ))}
      </div>
    </FormContext>
  );
}

function PlainText({ label, value, hint, isInvalid, describedBy, onChange }: PlainTextProps) {
  return (
    <div className={code.box} {...(isInvalid && { 'data-invalid': true })}>
      <textarea
        className={code.plain}
        rows={1}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
        placeholder={hint}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}

/** What args that must be there begin with. */
export function firstArgsOf(schema: Schema): Args {
  return firstArgs(fieldsOfSchema(schema));
}
