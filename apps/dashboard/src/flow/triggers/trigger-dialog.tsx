import { Checkbox, Group, NumberInput, SegmentedControl, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { FormDialog } from '../../ui/form-dialog';
import { NameField } from '../../ui/name-field';
import { useFields } from '../../ui/use-fields';
import { readObject, readPairs } from '../../values/json-text';
import { ValueTree } from '../../values/value-tree';
import { Icon } from '../../ui/icon';
import { HookField } from './hook-field';
import { hookOf } from './hook-of';
import { JsonField } from '../../ui/json-field';
import { triggersKey, type Trigger, type TriggerBody } from './queries';
import { trigger as bounds } from '../../ui/bounds.json' with { type: 'json' };
import { bodyOf, formOf, NEW_TRIGGER, patchOf, type TriggerForm } from './trigger-body';
import { VerifierFields } from './verifier-fields';
import classes from '../../ui/form.module.css';

interface TriggerDialogProps {
  readonly flowId: string;
  /** Changed; a new one is made without it. */
  readonly trigger?: Trigger | undefined;
  /** The address of a new one, which is shown this once. */
  readonly onMade: (url: string) => void;
  readonly onClose: () => void;
}

export function TriggerDialog({ flowId, trigger, onMade, onClose }: TriggerDialogProps) {
  const queries = useQueryClient();
  const { filledIn, form, set, isDirty } = useFields(() => (trigger ? formOf(trigger) : NEW_TRIGGER));
  const body = bodyOf(form);
  const labels = readPairs(form.labels);
  const args = readObject(form.args);
  const save = useMutation({
    mutationFn: async (sent: TriggerBody): Promise<string | null> => {
      if (trigger) {
        const params = { path: { flowId, tid: trigger.id } };
        await answerOf(
          api.PATCH('/api/v1/flows/{flowId}/triggers/{tid}', { params, body: patchOf(filledIn, form) ?? {} }),
        );
        return null;
      }
      const params = { path: { flowId } };
      return (await answerOf(api.POST('/api/v1/flows/{flowId}/triggers', { params, body: sent }))).url;
    },
    onSuccess: (url) => {
      void queries.invalidateQueries({ queryKey: triggersKey(flowId) });
      onClose();
      if (url !== null) onMade(url);
    },
  });
  return (
    <FormDialog
      title={trigger ? 'Change the trigger' : 'New trigger'}
      help="docs/triggers.md"
      action={trigger ? 'Save' : 'Make the trigger'}
      isReady={body !== null}
      isPending={save.isPending}
      isDirty={isDirty}
      error={save.error}
      onSubmit={() => body && save.mutate(body)}
      onClose={onClose}
    >
      <NameField value={form.name} error={save.error} onChange={(name) => set({ name })} />
      <VerifierFields form={form} onChange={set} error={save.error} isStored={trigger !== undefined} />
      {trigger?.sample?.isComplete && (
        <div>
          <p className="soft">The call that was heard last. The menu of a value copies its expression.</p>
          <ValueTree
            value={{ method: trigger.sample.method, ...hookOf(trigger.sample) }}
            label="$hook"
            expression="$hook"
          />
        </div>
      )}
      <SegmentedControl
        aria-label="What a delivery does"
        data={[
          { value: 'run', label: 'Run the flow' },
          { value: 'event', label: 'Send an event to plays that wait' },
        ]}
        value={form.does}
        onChange={(does) => set({ does })}
      />
      {form.does === 'event' && <EventFields form={form} onChange={set} error={save.error} />}
      <HookField
        {...{ flowId, trigger }}
        label="Condition"
        description="Deliveries for which it is false run nothing. Empty: all run."
        language="expression"
        hint="{{ $hook.body.type = 'order.paid' }}"
        value={form.when}
        error={faultOf(save.error, 'when')}
        onChange={(when) => set({ when })}
      />
      <HookField
        {...{ flowId, trigger }}
        label="Arguments"
        description="With expressions over $hook.body, $hook.headers and $hook.query. Empty: these three. Of an event: its payload."
        language="json"
        value={form.args}
        onChange={(args) => set({ args })}
        error={'fault' in args ? args.fault : faultOf(save.error, 'args')}
      />
      <Textarea
        label="Labels"
        description="Of each play, one a line, key=value."
        autosize
        minRows={1}
        value={form.labels}
        error={'fault' in labels ? labels.fault : faultOf(save.error, 'labels')}
        onChange={(event) => set({ labels: event.currentTarget.value })}
      />
      {form.does === 'run' && (
        <NumberInput
          label="Hold the answer"
          description="For the outcome of the play, up to 30 seconds. 0: answer as soon as the play is stored."
          min={bounds.wait.min / 1_000}
          max={bounds.wait.max / 1_000}
          value={form.waitSeconds}
          onChange={(value) => set({ waitSeconds: Number(value) || 0 })}
        />
      )}
      <MoreFields form={form} onChange={set} error={save.error} />
    </FormDialog>
  );
}

interface FieldsProps {
  readonly form: TriggerForm;
  readonly onChange: (fields: Partial<TriggerForm>) => void;
  readonly error: unknown;
}

function EventFields({ form, onChange, error }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Event"
        description="The name that the layer wait-event waits for."
        required
        value={form.eventName}
        error={faultOf(error, 'action.name')}
        onChange={(event) => onChange({ eventName: event.currentTarget.value })}
      />
      <TextInput
        label="Key"
        description="To whom it happened. Empty: none."
        placeholder="{{ $hook.body.order }}"
        spellCheck={false}
        value={form.eventKey}
        error={faultOf(error, 'action.key')}
        onChange={(event) => onChange({ eventKey: event.currentTarget.value })}
      />
      <NumberInput
        label="Keep it"
        description="Hours, for a play that begins to wait later; up to 168."
        min={0.01}
        max={168}
        value={form.keepHours}
        onChange={(value) => onChange({ keepHours: Number(value) || form.keepHours })}
      />
    </>
  );
}

const METHODS: TriggerForm['methods'] = ['POST', 'PUT', 'GET', 'HEAD'];

/** What most triggers leave as it is. */
function MoreFields({ form, onChange, error }: FieldsProps) {
  const isSet = form.respond !== '' || form.challenge !== '' || form.maxMb !== 1 || form.methods.join() !== 'POST';
  const [isOpen, setOpen] = useState(isSet);
  if (!isOpen) {
    return (
      <UnstyledButton className={classes.more} aria-expanded={false} onClick={() => setOpen(true)}>
        <Icon name="chevron" size={12} /> The answer, methods and size
      </UnstyledButton>
    );
  }
  return (
    <>
      <JsonField
        label="Answer"
        description="status, content_type, headers and body, with expressions over $hook, and over .out, .error and .state while the answer is held. Empty: the id of the play."
        minRows={2}
        value={form.respond}
        onChange={(respond) => onChange({ respond })}
        error={faultOf(error, 'respond')}
      />
      <JsonField
        label="Check of the address"
        description="Where a sender makes one that its type does not know: in, field, as and when. Empty: none."
        minRows={2}
        value={form.challenge}
        onChange={(challenge) => onChange({ challenge })}
        error={faultOf(error, 'challenge')}
      />
      <Checkbox.Group
        label="Methods"
        size="xs"
        description="HEAD is answered and runs nothing."
        value={[...form.methods]}
        onChange={(methods) => onChange({ methods })}
      >
        <Group gap="md" mt="xs">
          {METHODS.map((method) => (
            <Checkbox key={method} value={method} label={method} />
          ))}
        </Group>
      </Checkbox.Group>
      <NumberInput
        label="Largest body"
        description="Megabytes, up to 25. More than one is kept as a file of the play."
        min={0.01}
        max={25}
        value={form.maxMb}
        error={faultOf(error, 'max_bytes')}
        onChange={(value) => onChange({ maxMb: Number(value) || form.maxMb })}
      />
    </>
  );
}
