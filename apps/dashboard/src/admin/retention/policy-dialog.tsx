import { Checkbox, NumberInput, Select, TextInput } from '@mantine/core';
import type { components } from '@weft/client';
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { flowNamesQuery } from '../../flows/flow-names';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';
import { useFields } from '../../ui/use-fields';
import { flowGroupsQuery } from '../access/access';
import { DURATION, RETENTION_KEY, SCOPES, type Policy } from './policy';
import { TriedPreview } from './tried-preview';

interface PolicyDialogProps {
  /** The one to change; none: a new one. */
  readonly policy?: Policy;
  readonly onClose: () => void;
}

/** `scope plays`, `flow <id>` or `group <id>` */
function subjectOf(policy: Policy | undefined): string {
  if (!policy) return 'scope plays';
  if (policy.flow_id !== null) return `flow ${policy.flow_id}`;
  if (policy.flow_group_id !== null) return `group ${policy.flow_group_id}`;
  return `scope ${policy.scope === 'audit_logs' ? 'audit' : (policy.scope ?? '')}`;
}

function aboutOf(
  subject: string,
): Pick<components['schemas']['CreatePolicyBody'], 'scope' | 'flow_id' | 'flow_group_id'> {
  const [kind, id = ''] = subject.split(' ');
  if (kind === 'flow') return { flow_id: id };
  return kind === 'group' ? { scope: 'flows.group', flow_group_id: id } : { scope: id };
}

export function PolicyDialog({ policy, onClose }: PolicyDialogProps) {
  const subjects = useSubjects();
  const { form, set, isDirty } = useFields(() => ({
    subject: subjectOf(policy),
    cadence: policy?.cadence ?? '30d',
    minimum: policy?.enforced_minimum ?? '0',
    entries: policy?.min_entries ?? 0,
    isOn: policy?.enabled ?? true,
  }));
  const { subject, cadence, minimum, entries, isOn } = form;
  const body = { cadence, enforced_minimum: minimum, min_entries: entries, enabled: isOn };
  const save = useSave({
    send: () => {
      if (!policy)
        return answerOf(api.POST('/api/v1/admin/retention-policies', { body: { ...body, ...aboutOf(subject) } }));
      const path = { params: { path: { id: policy.id } } };
      return answerOf(api.PATCH('/api/v1/admin/retention-policies/{id}', { ...path, body }));
    },
    stales: RETENTION_KEY,
    says: () => (policy ? 'The policy is changed.' : 'The policy is made.'),
    onClose,
  });
  const wrong = (text: string): string | undefined => (DURATION.test(text) ? undefined : 'Such as 30d, 12m or 1y.');
  const isReady = DURATION.test(cadence) && DURATION.test(minimum);
  return (
    <FormDialog
      title={policy ? 'Change the policy' : 'New retention policy'}
      help="docs/retention.md"
      action="Save"
      size="md"
      isReady={isReady}
      isPending={save.isPending}
      isDirty={isDirty}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Select
        label="What it is about"
        searchable
        data={subjects}
        value={subject}
        disabled={policy !== undefined}
        onChange={(value) => set({ subject: value ?? subject })}
      />
      <TextInput
        label="Goes when older than"
        description="A number and m (minutes), d (days) or y (years); 0: at any age."
        required
        value={cadence}
        error={wrong(cadence) ?? faultOf(save.error, 'cadence')}
        onChange={(event) => set({ cadence: event.currentTarget.value })}
      />
      <NumberInput
        label="Newest entries that always stay"
        description="At least 10 do."
        min={0}
        allowDecimal={false}
        value={entries}
        error={faultOf(save.error, 'min_entries')}
        onChange={(value) => set({ entries: Number(value) })}
      />
      <TextInput
        label="Never before"
        description="Whatever other policies say; 0: no such limit."
        required
        value={minimum}
        error={wrong(minimum) ?? faultOf(save.error, 'enforced_minimum')}
        onChange={(event) => set({ minimum: event.currentTarget.value })}
      />
      <Checkbox label="In force" checked={isOn} onChange={(event) => set({ isOn: event.currentTarget.checked })} />
      {isReady && <TriedPreview tried={{ ...body, ...aboutOf(subject), ...(policy && { id: policy.id }) }} />}
    </FormDialog>
  );
}

function useSubjects() {
  const { data: flows } = useQuery(flowNamesQuery);
  const { data: groups } = useQuery(flowGroupsQuery);
  return [
    { group: 'Everything of the company', items: SCOPES.map(([value, label]) => ({ value: `scope ${value}`, label })) },
    {
      group: 'Plays of a flow group',
      items: (groups ?? []).map(({ id, name }) => ({ value: `group ${id}`, label: name })),
    },
    { group: 'Plays of a flow', items: [...(flows ?? [])].map(([id, name]) => ({ value: `flow ${id}`, label: name })) },
  ];
}
