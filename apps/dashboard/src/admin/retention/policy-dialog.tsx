import { Button, Checkbox, Modal, NumberInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { flowNamesQuery } from '../../flows/flow-names';
import { ErrorNotice } from '../../ui/error-notice';
import { flowGroupsQuery } from '../access/access';
import { DURATION, RETENTION_KEY, SCOPES, type Policy } from './policy';
import classes from '../admin.module.css';

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
  return `scope ${policy.scope ?? ''}`;
}

export function PolicyDialog({ policy, onClose }: PolicyDialogProps) {
  const queries = useQueryClient();
  const subjects = useSubjects();
  const [subject, setSubject] = useState(subjectOf(policy));
  const [cadence, setCadence] = useState(policy?.cadence ?? '30d');
  const [minimum, setMinimum] = useState(policy?.enforced_minimum ?? '0');
  const [entries, setEntries] = useState<number | string>(policy?.min_entries ?? 0);
  const [isOn, setOn] = useState(policy?.enabled ?? true);
  const save = useMutation({
    mutationFn: () => {
      const body = { cadence, enforced_minimum: minimum, min_entries: Number(entries), enabled: isOn };
      if (policy) {
        const path = { params: { path: { id: policy.id } } };
        return answerOf(api.PATCH('/api/v1/admin/retention-policies/{id}', { ...path, body }));
      }
      const [kind, id = ''] = subject.split(' ');
      const about =
        kind === 'flow'
          ? { flow_id: id }
          : kind === 'group'
            ? { scope: 'flows.group', flow_group_id: id }
            : { scope: id };
      return answerOf(api.POST('/api/v1/admin/retention-policies', { body: { ...body, ...about } }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: RETENTION_KEY });
      onClose();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  const wrong = (text: string): string | undefined => (DURATION.test(text) ? undefined : 'Such as 30d, 12m or 1y.');
  return (
    <Modal opened onClose={onClose} title={policy ? 'Change the policy' : 'New retention policy'}>
      <form onSubmit={submit} className={classes.form}>
        <Select
          label="What it is about"
          searchable
          data={subjects}
          value={subject}
          disabled={policy !== undefined}
          onChange={(value) => setSubject(value ?? subject)}
        />
        <TextInput
          label="Goes when older than"
          description="A number and m (minutes), d (days) or y (years)."
          required
          value={cadence}
          error={wrong(cadence) ?? faultOf(save.error, 'cadence')}
          onChange={(event) => setCadence(event.currentTarget.value)}
        />
        <NumberInput
          label="Newest entries that always stay"
          min={0}
          allowDecimal={false}
          value={entries}
          error={faultOf(save.error, 'min_entries')}
          onChange={setEntries}
        />
        <TextInput
          label="Never before"
          description="Whatever other policies say; 0: no such limit."
          required
          value={minimum}
          error={wrong(minimum) ?? faultOf(save.error, 'enforced_minimum')}
          onChange={(event) => setMinimum(event.currentTarget.value)}
        />
        <Checkbox label="In force" checked={isOn} onChange={(event) => setOn(event.currentTarget.checked)} />
        {save.isError && <ErrorNotice error={save.error} />}
        <Button type="submit" loading={save.isPending} disabled={!DURATION.test(cadence) || !DURATION.test(minimum)}>
          Save
        </Button>
      </form>
    </Modal>
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
