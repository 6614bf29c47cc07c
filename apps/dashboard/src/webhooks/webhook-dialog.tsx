import { Checkbox, MultiSelect, NumberInput, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { flowNamesQuery } from '../flows/flow-names';
import { FormDialog } from '../ui/form-dialog';
import { NameField } from '../ui/name-field';
import { useFields } from '../ui/use-fields';
import { readPairs } from '../values/json-text';
import { WEBHOOKS_KEY } from './queries';
import {
  bodyOf,
  EVENTS,
  formOf,
  NEW_WEBHOOK,
  patchOf,
  type EventType,
  type Webhook,
  type WebhookForm,
} from './webhook-form';
import { webhook as bounds } from '../ui/bounds.json' with { type: 'json' };
import classes from '../ui/form.module.css';

interface WebhookDialogProps {
  /** Changed; a new one is made without it. */
  readonly webhook?: Webhook | undefined;
  /** The secret or the public key of a new one. */
  readonly onMade?: (secret: string) => void;
  readonly onClose: () => void;
}

export function WebhookDialog({ webhook, onMade, onClose }: WebhookDialogProps) {
  const queries = useQueryClient();
  const { filledIn, form, set, isDirty } = useFields(() => (webhook ? formOf(webhook) : NEW_WEBHOOK));
  const body = bodyOf(form);
  const save = useMutation({
    mutationFn: async (): Promise<string | null> => {
      if (webhook) {
        const params = { path: { id: webhook.id } };
        await answerOf(api.PATCH('/api/v1/webhooks/{id}', { params, body: patchOf(filledIn, form) ?? {} }));
        return null;
      }
      if (body === null) return null;
      const made = await answerOf(api.POST('/api/v1/webhooks', { body: { ...body, signing: form.signing } }));
      return made.secret ?? made.public_key ?? null;
    },
    onSuccess: (secret) => {
      void queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
      onClose();
      if (secret !== null) onMade?.(secret);
    },
  });
  return (
    <FormDialog
      title={webhook ? 'Change the webhook' : 'New webhook'}
      help="docs/webhooks.md"
      action={webhook ? 'Save' : 'Make the webhook'}
      isReady={body !== null}
      isPending={save.isPending}
      isDirty={isDirty}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <NameField value={form.name} error={save.error} onChange={(name) => set({ name })} />
      <TextInput
        label="Address"
        description="Where events are posted to."
        required
        type="url"
        spellCheck={false}
        placeholder="https://hooks.example.com/weft"
        value={form.url}
        error={faultOf(save.error, 'url')}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <Events chosen={form.events} onChange={(events) => set({ events })} />
      <Limits form={form} onChange={set} error={save.error} />
      {!webhook && (
        <SegmentedControl
          aria-label="Signature"
          data={[
            { value: 'v1', label: 'Signed with a shared secret' },
            { value: 'v1a', label: 'Signed with a key pair' },
          ]}
          value={form.signing}
          onChange={(signing) => set({ signing })}
        />
      )}
    </FormDialog>
  );
}

interface EventsProps {
  readonly chosen: readonly EventType[];
  readonly onChange: (events: readonly EventType[]) => void;
}

function Events({ chosen, onChange }: EventsProps) {
  const toggle = (event: EventType): void =>
    onChange(chosen.includes(event) ? chosen.filter((each) => each !== event) : [...chosen, event]);
  return (
    <fieldset className={classes.choices}>
      <legend>Posts when</legend>
      {EVENTS.map(([event, words]) => (
        <Checkbox
          key={event}
          label={
            <>
              {words} <code className="soft">{event}</code>
            </>
          }
          checked={chosen.includes(event)}
          onChange={() => toggle(event)}
        />
      ))}
    </fieldset>
  );
}

interface LimitsProps {
  readonly form: WebhookForm;
  readonly onChange: (fields: Partial<WebhookForm>) => void;
  readonly error: unknown;
}

function Limits({ form, onChange, error }: LimitsProps) {
  const { data: names } = useQuery(flowNamesQuery);
  const labels = readPairs(form.labels);
  return (
    <>
      <MultiSelect
        label="Of these flows"
        description="Of all without one."
        searchable
        clearable
        size="xs"
        data={[...(names ?? [])].map(([value, label]) => ({ value, label }))}
        value={[...form.flowIds]}
        error={faultOf(error, 'flow_ids')}
        onChange={(flowIds) => onChange({ flowIds })}
      />
      <Textarea
        label="Of plays with all of these labels"
        description="One a line, key=value."
        autosize
        minRows={1}
        value={form.labels}
        error={'fault' in labels ? labels.fault : faultOf(error, 'labels')}
        onChange={(event) => onChange({ labels: event.currentTarget.value })}
      />
      <div className={classes.two}>
        <NumberInput
          label="At once"
          description="Attempts at the same time."
          {...bounds.max_in_flight}
          allowDecimal={false}
          value={form.maxInFlight}
          error={faultOf(error, 'max_in_flight')}
          onChange={(value) => onChange({ maxInFlight: Number(value) || 1 })}
        />
        <NumberInput
          label="A second"
          description="At most. Empty: no limit."
          {...bounds.rate_per_second}
          value={form.ratePerSecond}
          error={faultOf(error, 'rate_per_second')}
          onChange={(value) => onChange({ ratePerSecond: value === '' ? '' : Number(value) })}
        />
      </div>
      <Checkbox
        label="In order: one after the other, and one that fails holds up the others"
        checked={form.isOrdered}
        onChange={(event) => onChange({ isOrdered: event.currentTarget.checked })}
      />
      <Checkbox
        label="With the output of the last layer"
        checked={form.hasOut}
        onChange={(event) => onChange({ hasOut: event.currentTarget.checked })}
      />
    </>
  );
}
