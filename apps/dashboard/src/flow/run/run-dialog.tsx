import { Button, Collapse, NumberInput, Skeleton, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, type Dispatch, type SetStateAction } from 'react';
import { answerOf, api } from '../../api/client';
import { faultsWithin, firstFault } from '../../api/faults';
import { faultOf } from '../../api/refusal';
import type { Schema } from '../../editor/form-model';
import type { Unreadable } from '../../editor/unreadable';
import { versionQuery } from '../../play/queries';
import { unsavedOfPage } from '../../session/unsaved';
import { FormDialog } from '../../ui/form-dialog';
import { Icon } from '../../ui/icon';
import { JsonField } from '../../ui/json-field';
import { jsonText, readObject, readPairs } from '../../values/json-text';
import type { Flow } from '../queries';
import { EMPTY_RUN, runBodyOf, type RunBody, type RunForm } from './run-body';
import { useExampleArgs } from './use-example-args';
import classes from '../../ui/form.module.css';

/** Part of the editor, which the page of a flow has mostly loaded: a chunk of its own would take the editor apart. */
const forms = () => import('../../editor/layers-editor');
const ArgsForm = lazy(async () => ({ default: (await forms()).ArgsForm }));

interface RunDialogProps {
  readonly flow: Flow;
  readonly onStarted: (playId: string) => void;
  readonly onClose: () => void;
}

/**
 * Runs the flow with the arguments of its last play, or with others, and leads to the play. What the page has not saved is saved
 * first, or said not to run: then the page stays, and shows the play.
 */
export function RunDialog({ flow, onStarted, onClose }: RunDialogProps) {
  const example = useExampleArgs(flow.id);
  const navigate = useNavigate();
  const [typed, setTyped] = useState<Partial<RunForm>>({});
  const [hasOptions, setOptions] = useState(false);
  const [unsaved] = useState(unsavedOfPage);
  const [savedAs, setSavedAs] = useState<number | null>(null);
  const [unreadable, setUnreadable] = useState<Unreadable>(new Map());
  const runs = typed.version ?? flow.publishedVersion ?? flow.version;
  const schema = useArgsSchema(flow, unsaved?.save ? flow.version : runs);
  const first = useFirstArgs(schema, example);
  const form: RunForm = { ...EMPTY_RUN, ...(first && { args: jsonText(first) }), ...typed };
  const set = (fields: Partial<RunForm>): void => setTyped((before) => ({ ...before, ...fields }));
  const body = runBodyOf(form);
  const run = useMutation({
    mutationFn: async ({ sent, isSaved }: { readonly sent: RunBody; readonly isSaved: boolean }) => {
      if (isSaved || !unsaved?.save) return start(flow.id, sent);
      const version = savedAs ?? (await unsaved.save());
      setSavedAs(version);
      return version === null ? null : start(flow.id, { ...sent, version });
    },
    onSuccess: (started) => {
      if (started === null) return onClose();
      const { playId, isReplayed } = started;
      if (isReplayed) notifications.show({ message: 'A play with this key was there already: this is it.' });
      if (unsaved === null) return void navigate({ to: '/plays/$playId', params: { playId } });
      onClose();
      onStarted(playId);
    },
  });
  const asSaved = `Run version ${form.version ?? flow.publishedVersion ?? flow.version} as saved`;
  const send = (isSaved: boolean): void => {
    if (body) run.mutate({ sent: body, isSaved });
  };
  return (
    <FormDialog
      title={`Run “${flow.name}”`}
      help="docs/plays.md#running"
      action={unsaved === null ? 'Run' : unsaved.save ? 'Save and run' : asSaved}
      other={unsaved?.save ? { action: asSaved, onClick: () => send(true) } : undefined}
      isReady={body !== null && first !== undefined && schema !== undefined && unreadable.size === 0}
      isPending={run.isPending}
      isDirty={Object.keys(typed).length > 0}
      error={run.error}
      onSubmit={() => send(unsaved?.save === null)}
      onClose={onClose}
    >
      {unsaved !== null && <p role="note">Not saved: {unsaved.words}.</p>}
      {first === undefined || schema === undefined ? (
        <Skeleton height={150} />
      ) : (
        <ArgsInput
          schema={schema}
          text={form.args}
          description={example ? 'Those of its last play are filled in.' : 'Layers read them as $prev.args.'}
          error={run.error}
          unreadable={unreadable}
          onUnreadable={setUnreadable}
          onChange={(args) => set({ args })}
        />
      )}
      <UnstyledButton
        className={classes.more}
        aria-expanded={hasOptions}
        onClick={() => setOptions((before) => !before)}
      >
        <Icon name={hasOptions ? 'down' : 'chevron'} size={13} /> Key, labels, lane, priority, version, times
      </UnstyledButton>
      <Collapse expanded={hasOptions} animateOpacity={false}>
        <Options form={form} onChange={set} error={run.error} />
      </Collapse>
    </FormDialog>
  );
}

/** Of the version that runs; null: it has none; undefined while it is read. */
function useArgsSchema(flow: Flow, version: number): Schema | null | undefined {
  const isOwn = version === flow.version;
  const { data, isError } = useQuery({ ...versionQuery(flow.id, version), enabled: !isOwn });
  if (isOwn) return flow.argsSchema;
  // a version that is not there is refused when it is run
  return isError ? null : data && (data.argsSchema ?? null);
}

/** Those of the last play, or what must be there; null: nothing; undefined while it is read. */
function useFirstArgs(schema: Schema | null | undefined, example: ReturnType<typeof useExampleArgs>) {
  const needsFirst = example === null && schema !== null && schema !== undefined;
  const { data, isError } = useQuery({ queryKey: ['forms of args'], enabled: needsFirst, queryFn: forms });
  if (example) return example.args;
  if (!needsFirst) return example === undefined || schema === undefined ? undefined : null;
  return isError ? null : data?.firstArgsOf(schema);
}

interface ArgsInputProps {
  readonly schema: Schema | null;
  readonly text: string;
  readonly description: string;
  /** Of the run. */
  readonly error: unknown;
  readonly unreadable: Unreadable;
  readonly onUnreadable: Dispatch<SetStateAction<Unreadable>>;
  readonly onChange: (text: string) => void;
}

/** The args as a form where the flow says what they are, and as JSON: one text is behind both. */
function ArgsInput({ schema, text, description, error, unreadable, onUnreadable, onChange }: ArgsInputProps) {
  const [isRaw, setRaw] = useState(false);
  const read = readObject(text);
  const asForm = schema !== null && !isRaw && 'value' in read;
  const faults = faultsWithin(error, 'args');
  const toggle = (): void => {
    // a text that is not JSON yet is in the form alone
    onUnreadable(new Map());
    setRaw(asForm);
  };
  return (
    <div className={classes.form}>
      {schema !== null && (
        <div className={classes.spread}>
          <span className="soft">{asForm ? description : ''}</span>
          <Button size="compact-xs" variant="default" disabled={'fault' in read} onClick={toggle}>
            {asForm ? 'Show as JSON' : 'Show as a form'}
          </Button>
        </div>
      )}
      {asForm ? (
        <Suspense fallback={<Skeleton height={150} />}>
          <ArgsForm
            schema={schema}
            args={read.value}
            faults={faults}
            unreadable={unreadable}
            onUnreadable={onUnreadable}
            onChange={(args) => onChange(jsonText(args))}
          />
        </Suspense>
      ) : (
        <JsonField
          label="Arguments"
          description={description}
          value={text}
          onChange={onChange}
          error={firstFault(error, 'args')}
          minRows={6}
          isFocused
        />
      )}
    </div>
  );
}

interface OptionsProps {
  readonly form: RunForm;
  readonly onChange: (fields: Partial<RunForm>) => void;
  readonly error: unknown;
}

function Options({ form, onChange, error }: OptionsProps) {
  const labels = readPairs(form.labels);
  return (
    <div className={classes.form}>
      <TextInput
        label="Idempotency key"
        description="While a play with this key is open or done, the run gives that play instead of a new one."
        maxLength={255}
        value={form.key}
        error={faultOf(error, 'idempotencyKey')}
        onChange={(event) => onChange({ key: event.currentTarget.value })}
      />
      <Textarea
        label="Labels"
        description="One a line, key=value; they are added to those of the flow."
        autosize
        minRows={2}
        value={form.labels}
        error={'fault' in labels ? labels.fault : faultOf(error, 'labels')}
        onChange={(event) => onChange({ labels: event.currentTarget.value })}
      />
      <TextInput
        label="Lane"
        description="Plays with the same lane run one after the other. Empty: the lane that the flow says."
        maxLength={255}
        value={form.lane}
        error={faultOf(error, 'lane')}
        onChange={(event) => onChange({ lane: event.currentTarget.value })}
      />
      <div className={classes.two}>
        <NumberInput
          label="Priority"
          description="From −10 to 10: higher ones go first."
          min={-10}
          max={10}
          allowDecimal={false}
          value={form.priority}
          onChange={(value) => onChange({ priority: Number(value) || 0 })}
        />
        <NumberInput
          label="Version"
          description="Empty: the one that runs use."
          min={1}
          allowDecimal={false}
          value={form.version ?? ''}
          error={faultOf(error, 'version')}
          onChange={(value) => onChange({ version: Number(value) || null })}
        />
      </div>
      <div className={classes.two}>
        <TextInput
          type="datetime-local"
          label="Start"
          description="Your time; at once without it."
          value={form.startAt}
          error={faultOf(error, 'runAt')}
          onChange={(event) => onChange({ startAt: event.currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label="Not after"
          description="Your time; a play that has not begun by then is skipped."
          value={form.startBy}
          error={faultOf(error, 'notAfter')}
          onChange={(event) => onChange({ startBy: event.currentTarget.value })}
        />
      </div>
    </div>
  );
}

async function start(id: string, body: RunBody): Promise<{ readonly playId: string; readonly isReplayed: boolean }> {
  const call = api.POST('/api/v1/flows/{id}/run', { params: { path: { id } }, body });
  const { playId } = await answerOf(call);
  return { playId, isReplayed: (await call).response.headers.get('idempotency-replayed') === 'true' };
}
