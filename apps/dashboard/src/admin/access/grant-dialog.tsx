import { Checkbox, Select } from '@mantine/core';
import { PERMISSIONS } from '@weft/access';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { linksQuery } from '../../api/links-query';
import { flowNamesQuery } from '../../flows/flow-names';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';
import { groupsQuery } from '../groups/groups';
import { userNamesQuery } from '../user-names';
import { flowGroupsQuery, GRANTS_KEY, RESOURCES, type Grant, type Grantee, type Permission } from './access';
import classes from '../admin.module.css';

interface GrantDialogProps {
  readonly grantee?: Grantee;
  readonly onClose: () => void;
}

type Kind = Grant['ResourceType'];

export function GrantDialog({ grantee, onClose }: GrantDialogProps) {
  const [to, setTo] = useState<string | null>(null);
  const [kind, setKind] = useState<Kind>('flow');
  const [resource, setResource] = useState<string | null>(null);
  const [permissions, setPermissions] = useState<readonly Permission[]>(['read']);
  const things = useThings(kind);
  const give = useSave({
    send: () => {
      const [type, id = ''] = (to ?? '').split(' ');
      const { type: grant_type, id: grantee_id } = grantee ?? { type: type === 'group' ? 'group' : 'user', id };
      const body = { resource_type: kind, resource_id: resource ?? '', grant_type, grantee_id };
      return answerOf(api.POST('/api/v1/access/grant', { body: { ...body, permissions: [...permissions] } }));
    },
    stales: GRANTS_KEY,
    says: () => `“${things.find(({ value }) => value === resource)?.label ?? ''}” is granted.`,
    onClose,
  });
  return (
    <FormDialog
      title="Grant something"
      help="docs/access.md#grants-and-restricted-flows"
      action="Grant it"
      size="md"
      isReady={resource !== null && permissions.length > 0 && (grantee !== undefined || to !== null)}
      isPending={give.isPending}
      isDirty={to !== null || resource !== null}
      error={give.error}
      onSubmit={() => give.mutate()}
      onClose={onClose}
    >
      {!grantee && <GranteeSelect value={to} onChange={setTo} />}
      <Select
        label="On a"
        data={Object.entries(RESOURCES).map(([value, label]) => ({ value, label }))}
        value={kind}
        onChange={(value) => {
          setKind(value === 'flow_group' || value === 'integration' ? value : 'flow');
          setResource(null);
        }}
      />
      <Select label="Which" searchable required data={things} value={resource} onChange={setResource} />
      <Checkbox.Group
        label="May"
        value={[...permissions]}
        onChange={(values) => setPermissions(PERMISSIONS.filter((each) => values.includes(each)))}
      >
        <div className={classes.row}>
          {PERMISSIONS.map((each) => (
            <Checkbox key={each} value={each} label={each} />
          ))}
        </div>
      </Checkbox.Group>
    </FormDialog>
  );
}

interface GranteeSelectProps {
  /** `user <id>` or `group <id>` */
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

function GranteeSelect({ value, onChange }: GranteeSelectProps) {
  const { data: users } = useQuery(userNamesQuery);
  const { data: groups } = useQuery(groupsQuery);
  const data = [
    { group: 'Groups', items: (groups ?? []).map(({ id, name }) => ({ value: `group ${id}`, label: name })) },
    { group: 'Users', items: [...(users ?? [])].map(([id, name]) => ({ value: `user ${id}`, label: name })) },
  ];
  return <Select label="To" searchable required data={data} value={value} onChange={onChange} />;
}

function useThings(kind: Kind): readonly { readonly value: string; readonly label: string }[] {
  const flows = useQuery({ ...flowNamesQuery, enabled: kind === 'flow' });
  const groups = useQuery({ ...flowGroupsQuery, enabled: kind === 'flow_group' });
  const links = useQuery({ ...linksQuery, enabled: kind === 'integration' });
  if (kind === 'flow') return [...(flows.data ?? [])].map(([value, label]) => ({ value, label }));
  if (kind === 'flow_group') return (groups.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (links.data ?? []).map(({ id, Name }) => ({ value: id, label: Name }));
}
