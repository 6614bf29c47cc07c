import { NumberInput, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { FormDialog } from '../../ui/form-dialog';
import { NameField } from '../../ui/name-field';
import { useFields } from '../../ui/use-fields';
import { readObject, readPairs } from '../../values/json-text';
import { HookField } from './hook-field';
import { triggersKey, type Trigger, type TriggerBody } from './queries';
import { trigger as bounds } from '../../ui/bounds.json' with { type: 'json' };
import { bodyOf, formOf, NEW_TRIGGER, patchOf } from './trigger-body';
import { VerifierFields } from './verifier-fields';

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
        description="With expressions over $hook.body, $hook.headers and $hook.query. Empty: these three."
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
      <NumberInput
        label="Hold the answer"
        description="For the outcome of the play, up to 30 seconds. 0: answer as soon as the play is stored."
        min={bounds.wait.min / 1_000}
        max={bounds.wait.max / 1_000}
        value={form.waitSeconds}
        onChange={(value) => set({ waitSeconds: Number(value) || 0 })}
      />
    </FormDialog>
  );
}
