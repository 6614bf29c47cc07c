import { Checkbox, SegmentedControl, Select, TextInput } from '@mantine/core';
import { PERMISSIONS, type Permission } from '@weft/access';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { groupsQuery } from '../../admin/groups/groups';
import { useUserNames } from '../../admin/user-names';
import { FormDialog } from '../../ui/form-dialog';
import { grantsKey, type Grant } from './queries';
import classes from '../../ui/form.module.css';

interface GrantDialogProps {
  readonly flowId: string;
  /** Whose permissions are changed; a new one is given without it. */
  readonly grant?: Grant | undefined;
  /** Others type an id. */
  readonly knowsPeople: boolean;
  readonly onClose: () => void;
}

const TYPES: { value: Grant['GrantType']; label: string }[] = [
  { value: 'user', label: 'A person' },
  { value: 'group', label: 'A group' },
];

export function GrantDialog({ flowId, grant, knowsPeople, onClose }: GrantDialogProps) {
  const queries = useQueryClient();
  const [type, setType] = useState<Grant['GrantType']>(grant?.GrantType ?? 'user');
  const [grantee, setGrantee] = useState<string | null>(grant?.GranteeID ?? null);
  const [permissions, setPermissions] = useState<readonly Permission[]>(grant?.Permissions ?? ['read']);
  const save = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/v1/access/grant', {
          body: {
            resource_type: 'flow',
            resource_id: flowId,
            grant_type: type,
            grantee_id: grantee ?? '',
            permissions: [...permissions],
          },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: grantsKey(flowId) });
      onClose();
    },
  });
  const toggle = (permission: Permission): void =>
    setPermissions((before) =>
      before.includes(permission) ? before.filter((each) => each !== permission) : [...before, permission],
    );
  return (
    <FormDialog
      title={grant ? 'Change a grant' : 'Grant access'}
      help="docs/access.md#grants-and-restricted-flows"
      action={grant ? 'Save' : 'Grant'}
      size="md"
      isReady={grantee !== null && grantee !== '' && permissions.length > 0}
      isPending={save.isPending}
      isDirty={!grant && grantee !== null}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {!grant && (
        <>
          <SegmentedControl
            aria-label="To whom"
            data={TYPES}
            value={type}
            onChange={(value) => {
              setType(value);
              setGrantee(null);
            }}
          />
          {knowsPeople ? (
            <Grantee type={type} value={grantee} onChange={setGrantee} />
          ) : (
            <TextInput
              label={type === 'user' ? 'User id' : 'Group id'}
              description="An admin knows it."
              required
              value={grantee ?? ''}
              error={faultOf(save.error, 'grantee_id')}
              onChange={(event) => setGrantee(event.currentTarget.value)}
            />
          )}
        </>
      )}
      <fieldset className={classes.choices}>
        <legend>May</legend>
        {PERMISSIONS.map((permission) => (
          <Checkbox
            key={permission}
            label={MAY[permission]}
            checked={permissions.includes(permission)}
            onChange={() => toggle(permission)}
          />
        ))}
      </fieldset>
      <p className="soft">A grant adds to what a role allows, and takes nothing away.</p>
    </FormDialog>
  );
}

export const MAY: Readonly<Record<Permission, string>> = {
  read: 'see it and its plays',
  execute: 'run it',
  edit: 'change it',
  delete: 'delete it',
};

interface GranteeProps {
  readonly type: Grant['GrantType'];
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

function Grantee({ type, value, onChange }: GranteeProps) {
  const people = useUserNames();
  const groups = useQuery(groupsQuery);
  const named = type === 'user' ? [...people] : (groups.data ?? []).map(({ id, name }) => [id, name] as const);
  return (
    <Select
      label={type === 'user' ? 'Person' : 'Group'}
      placeholder="Choose one"
      nothingFoundMessage={type === 'user' ? 'Nobody has this name' : 'There is no such group'}
      required
      searchable
      limit={100}
      data={named.map(([id, label]) => ({ value: id, label }))}
      value={value}
      onChange={onChange}
    />
  );
}
