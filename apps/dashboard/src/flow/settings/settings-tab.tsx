import { Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState, type SyntheticEvent } from 'react';
import { firstFault } from '../../api/faults';
import { faultOf, isVersionConflict } from '../../api/refusal';
import { ErrorNotice } from '../../ui/error-notice';
import { LeaveQuestion } from '../../ui/leave-question';
import { readPairs } from '../../values/json-text';
import { showChanged, useFlowChange, type Flow } from '../queries';
import { useFlowRights } from '../rights';
import { FlowSelect } from '../../schedules/flow-select';
import { changedFields, formOf, patchOf, type SettingsForm } from './settings-form';
import { flow as flowBounds, settings as bounds } from '../../ui/bounds.json' with { type: 'json' };
import classes from '../../ui/form.module.css';

const ArgsSchemaField = lazy(async () => ({ default: (await import('./args-schema-field')).ArgsSchemaField }));
const Variables = lazy(async () => ({ default: (await import('./variables')).Variables }));
const Conflict = lazy(async () => ({ default: (await import('./conflict')).Conflict }));

const MISSING: { value: SettingsForm['onMissing']; label: string }[] = [
  { value: 'fail', label: 'Fails the layer' },
  { value: 'null', label: 'Is null' },
  { value: 'empty', label: 'Is an empty text' },
];
const DOWN: { value: SettingsForm['onDestinationDown']; label: string }[] = [
  { value: 'fail', label: 'Is called all the same' },
  { value: 'park', label: 'Is waited for' },
];
const PUBLISH: { value: SettingsForm['publish']; label: string }[] = [
  { value: 'auto', label: 'At once' },
  { value: 'manual', label: 'When they are published' },
];
const LANE_FAIL: { value: SettingsForm['onLaneFail']; label: string }[] = [
  { value: 'continue', label: 'Goes on' },
  { value: 'stop', label: 'Stops until the play is retried or skipped' },
];
const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

/** What was typed is kept when somebody else changes the flow meanwhile: then both are shown. */
export function SettingsTab({ flow }: { readonly flow: Flow }) {
  const queries = useQueryClient();
  const rights = useFlowRights(flow);
  /** What is typed is based on: a change is sent for its version, also when a newer one has been read. */
  const [base, setBase] = useState(flow);
  const before = formOf(base);
  const [form, setForm] = useState(before);
  const set = (fields: Partial<SettingsForm>): void => setForm((now) => ({ ...now, ...fields }));
  const change = useFlowChange(base);
  const patch = patchOf(before, form);
  const changed = changedFields(before, form);
  const labels = readPairs(form.labels);
  const start = (now: Flow, typed: Partial<SettingsForm> = {}): void => {
    change.reset();
    setBase(now);
    setForm({ ...formOf(now), ...typed });
  };
  const goOn = (now: Flow, typed: Partial<SettingsForm>): void => {
    showChanged(queries, now);
    start(now, typed);
  };
  const save = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (patch === null || changed.length === 0) return;
    change.mutate(patch, {
      onSuccess: (now) => {
        start(now);
        notifications.show({ message: `Saved as version ${now.version}.` });
      },
    });
  };
  const error = (field: string): string | undefined => faultOf(change.error, field);
  const isConflict = isVersionConflict(change.error);
  const mine = Object.fromEntries(changed.map((field) => [field, form[field]])) as Partial<SettingsForm>;
  // somebody else's change is shown where nothing of one's own would be lost by it
  if (flow.version > base.version && changed.length === 0) {
    setBase(flow);
    setForm(formOf(flow));
  }
  return (
    <form onSubmit={save}>
      <LeaveQuestion isDirty={changed.length > 0} unsaved={changed.join(', ')} />
      <fieldset className={`${classes.choices} ${classes.form}`} data-narrow disabled={!rights.edit}>
        <TextInput
          label="Name"
          required
          {...flowBounds.name}
          value={form.name}
          error={error('name')}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <TextInput
          label="Key"
          description="Your own name for it, which does not change: documents, layers and pipelines name the flow by it. Empty: none."
          placeholder="order-intake"
          spellCheck={false}
          styles={MONO}
          value={form.key}
          error={error('key')}
          onChange={(event) => set({ key: event.currentTarget.value })}
        />
        <Textarea
          label="Description"
          description="What the flow is for."
          autosize
          minRows={2}
          maxRows={8}
          {...flowBounds.description}
          value={form.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <Suspense>
          <Variables
            flow={base}
            value={form.blueprintVars}
            error={change.error}
            onChange={(blueprintVars) => set({ blueprintVars })}
          />
        </Suspense>
        <TextInput
          label="Category"
          description="A word to sort flows by."
          {...flowBounds.category}
          value={form.category}
          onChange={(event) => set({ category: event.currentTarget.value })}
        />
        <TextInput
          label="Condition"
          description="An expression over the arguments: when it is false, a run is skipped at once. Empty: it always runs."
          placeholder="{{ $prev.args.urgent }}"
          spellCheck={false}
          styles={MONO}
          value={form.when}
          error={error('when')}
          onChange={(event) => set({ when: event.currentTarget.value })}
        />
        <div className={classes.two}>
          <TextInput
            type="number"
            label="Plays at once"
            description="Others wait for their turn. Empty: any number."
            {...bounds.concurrency}
            value={form.concurrency}
            error={error('concurrency')}
            onChange={(event) => set({ concurrency: numberOf(event.currentTarget.value) })}
          />
          <TextInput
            type="number"
            label="Priority"
            description="Of plays that wait, those with a higher one start first. Empty: that of the run, or 0."
            {...bounds.priority}
            value={form.priority}
            error={error('settings.priority')}
            onChange={(event) => set({ priority: numberOf(event.currentTarget.value) })}
          />
          <TextInput
            type="number"
            label="Time limit"
            description="Of a play, in seconds. Empty: none."
            min={bounds.timeoutMs.min / 1_000}
            max={bounds.timeoutMs.max / 1_000}
            step="any"
            value={form.timeoutSeconds}
            error={error('timeoutMs')}
            onChange={(event) => set({ timeoutSeconds: numberOf(event.currentTarget.value) })}
          />
          <TextInput
            type="number"
            label="Size of an output"
            description="At most, in KB. Empty: 64 MB."
            min={bounds.maxOutputBytes.min / 1_024}
            max={bounds.maxOutputBytes.max / 1_024}
            step="any"
            value={form.maxOutputKb}
            error={error('maxOutputBytes')}
            onChange={(event) => set({ maxOutputKb: numberOf(event.currentTarget.value) })}
          />
          <Select
            label="A missing field"
            description="What an expression does with it."
            data={MISSING}
            value={form.onMissing}
            onChange={(value) => set({ onMissing: value ?? form.onMissing })}
          />
          <Select
            label="A destination that is down"
            description="Its plays fail, or wait until it answers."
            data={DOWN}
            value={form.onDestinationDown}
            onChange={(value) => set({ onDestinationDown: value ?? form.onDestinationDown })}
          />
          <Select
            label="Changes apply"
            description="Until they are published, they are a draft, and runs use the version before."
            data={PUBLISH}
            value={form.publish}
            error={error('publish')}
            onChange={(value) => set({ publish: value ?? form.publish })}
          />
        </div>
        <TextInput
          label="Plays at once of each"
          description="The limit counts for each value of this text. An expression over the arguments; empty: for all plays together."
          placeholder="{{ $prev.args.customerId }}"
          spellCheck={false}
          styles={MONO}
          disabled={form.concurrency === ''}
          value={form.limitKey}
          error={error('settings.concurrency.key')}
          onChange={(event) => set({ limitKey: event.currentTarget.value })}
        />
        <TextInput
          label="Lane"
          description="Plays with the same lane run one after the other, over all flows. An expression over the arguments; empty: none."
          placeholder="customer-{{ $prev.args.customerId }}"
          spellCheck={false}
          styles={MONO}
          value={form.lane}
          error={error('settings.lane')}
          onChange={(event) => set({ lane: event.currentTarget.value })}
        />
        <Select
          label="When a play of a lane fails"
          description="What the lane does."
          data={LANE_FAIL}
          value={form.onLaneFail}
          onChange={(value) => set({ onLaneFail: value ?? form.onLaneFail })}
        />
        <FlowSelect
          label="When a play fails"
          description="This flow is run once for each play that fails, with the play and its error. A cancelled play does not count."
          isOptional
          except={flow.id}
          value={form.onFailure}
          error={error('settings.onFailure')}
          onChange={(onFailure) => set({ onFailure })}
        />
        <Textarea
          label="Labels"
          description="Of each play, one a line, key=value; up to ten."
          autosize
          minRows={2}
          value={form.labels}
          error={'fault' in labels ? labels.fault : error('labels')}
          onChange={(event) => set({ labels: event.currentTarget.value })}
        />
        <Checkbox
          label="Blueprint: other flows are made from it, and it is not run itself"
          checked={form.isBlueprint}
          onChange={(event) => set({ isBlueprint: event.currentTarget.checked })}
        />
        <Suspense>
          <ArgsSchemaField
            value={form.argsSchema}
            fault={firstFault(change.error, 'argsSchema')}
            isReadOnly={!rights.edit}
            onChange={(argsSchema) => set({ argsSchema })}
          />
        </Suspense>
        {isConflict && (
          <Suspense>
            <Conflict
              flowId={flow.id}
              before={before}
              mine={mine}
              onTakeTheirs={(now) => goOn(now, {})}
              onKeepMine={(now) => goOn(now, mine)}
            />
          </Suspense>
        )}
        {change.error && !isConflict && <ErrorNotice error={change.error} />}
        {rights.edit && (
          <div className={classes.buttons}>
            <Button type="submit" disabled={changed.length === 0 || patch === null} loading={change.isPending}>
              Save
            </Button>
            {changed.length > 0 && (
              <Button variant="default" onClick={() => start(flow)}>
                Discard
              </Button>
            )}
          </div>
        )}
      </fieldset>
    </form>
  );
}

const numberOf = (value: string): number | '' => (value === '' ? '' : Number(value));
