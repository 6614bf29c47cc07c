import { Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { FormDialog } from '../../ui/form-dialog';
import { JsonField } from '../../ui/json-field';
import { NameField } from '../../ui/name-field';
import { useFields } from '../../ui/use-fields';
import { triggersKey, type Trigger, type TriggerBody } from './queries';
import { OF_TYPE, sourceBodyOf, sourceFormOf, type SourceForm, type SourceType } from './source-body';
import { SourceFields } from './source-fields';

interface SourceDialogProps {
  readonly flowId: string;
  /** Changed; a new one is made without it. */
  readonly trigger: Trigger | undefined;
  readonly onClose: () => void;
}

const TYPES: readonly { readonly value: SourceType; readonly label: string }[] = [
  { value: 'kafka', label: 'A topic of Kafka' },
  { value: 'sqs', label: 'A queue of Amazon SQS' },
  { value: 'poll', label: 'A list that is asked for again and again' },
  { value: 'rss', label: 'A feed (RSS, Atom)' },
  { value: 'imap', label: 'A folder of mails (IMAP)' },
];
const STARTS = [
  { value: 'latest', label: 'With what comes from now on' },
  { value: 'earliest', label: 'With all that is there' },
  { value: 'time', label: 'With what is as young as a time' },
];
const POISON = [
  { value: 'skip', label: 'Log it, and go on' },
  { value: 'stop', label: 'Read no further' },
];

/** A trigger that reads. */
export function SourceDialog({ flowId, trigger, onClose }: SourceDialogProps) {
  const queries = useQueryClient();
  const { form, set, isDirty } = useFields(() => sourceFormOf(trigger));
  const body = sourceBodyOf(form);
  const save = useMutation({
    mutationFn: (sent: TriggerBody) => {
      if (!trigger)
        return answerOf(api.POST('/api/v1/flows/{flowId}/triggers', { params: { path: { flowId } }, body: sent }));
      const params = { path: { flowId, tid: trigger.id } };
      return answerOf(api.PATCH('/api/v1/flows/{flowId}/triggers/{tid}', { params, body: sent }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: triggersKey(flowId) });
      onClose();
    },
  });
  return (
    <FormDialog
      title={trigger ? 'Change the trigger' : 'Read messages'}
      action={trigger ? 'Save' : 'Make the trigger'}
      isReady={body !== null}
      isPending={save.isPending}
      isDirty={isDirty}
      error={save.error}
      onSubmit={() => body && save.mutate(body)}
      onClose={onClose}
    >
      <NameField value={form.name} error={save.error} onChange={(name) => set({ name })} />
      {!trigger && (
        <Select
          label="From"
          data={TYPES}
          allowDeselect={false}
          value={form.type}
          onChange={(type) => type !== null && set({ type, start: 'latest' })}
        />
      )}
      <SourceFields form={form} onChange={set} error={save.error} />
      {OF_TYPE[form.type].starts && (
        <Select
          label="Begin"
          description="When it is read for the first time; after that it goes on where it was."
          data={form.type === 'kafka' ? STARTS : STARTS.slice(0, 2)}
          allowDeselect={false}
          value={form.start}
          onChange={(start) => start !== null && set({ start: start as SourceForm['start'] })}
        />
      )}
      {form.start === 'time' && (
        <TextInput
          label="Time"
          required
          placeholder="2026-01-31T12:00:00Z"
          value={form.startAt}
          error={faultOf(save.error, 'source.start')}
          onChange={(event) => set({ startAt: event.currentTarget.value })}
        />
      )}
      <Select
        label="A message of which no run can be made"
        data={POISON}
        allowDeselect={false}
        value={form.onPoison}
        onChange={(onPoison) => onPoison !== null && set({ onPoison: onPoison as SourceForm['onPoison'] })}
      />
      <TextInput
        label="Condition"
        description="Messages for which it is false run nothing. Empty: all run."
        placeholder="{{ $message.value.type = 'order.paid' }}"
        spellCheck={false}
        value={form.when}
        error={faultOf(save.error, 'when')}
        onChange={(event) => set({ when: event.currentTarget.value })}
      />
      <JsonField
        label="Arguments"
        description="With expressions over $message.key, .value, .headers, .timestamp and what else the source gives. Empty: all of them."
        value={form.args}
        error={faultOf(save.error, 'args')}
        onChange={(args) => set({ args })}
      />
    </FormDialog>
  );
}
