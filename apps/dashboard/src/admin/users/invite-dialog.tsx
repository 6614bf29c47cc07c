import { Select, TextInput } from '@mantine/core';
import { ROLES, type Role } from '@weft/access';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { ROLE_NAMES, useMe } from '../../session/me';
import { FormDialog } from '../../ui/form-dialog';
import { Once } from '../once';
import { USERS_KEY } from './user';

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const me = useMe();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const invite = useMutation({
    mutationFn: () => {
      const roles = [{ company_id: me.company_id, role }];
      const body = { email: email.trim(), roles, ...(name.trim() !== '' && { name: name.trim() }) };
      return answerOf(api.POST('/api/v1/users', { body }));
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: USERS_KEY }),
  });
  if (invite.data) {
    return (
      <Once
        title={`Send this link to ${invite.data.email}`}
        says="With it they choose a password. It is good once, for 72 hours, and is shown only now."
        text={invite.data.invite_url ?? ''}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title="Invite somebody"
      help="docs/access.md#users-and-groups"
      action="Make the invitation"
      size="md"
      isReady={email.trim() !== ''}
      isPending={invite.isPending}
      isDirty={email !== '' || name !== ''}
      error={invite.error}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="E-mail"
        type="email"
        required
        maxLength={320}
        data-autofocus
        value={email}
        error={faultOf(invite.error, 'email')}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput
        label="Name"
        maxLength={200}
        value={name}
        error={faultOf(invite.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Role"
        data={ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
        value={role}
        onChange={(value) => setRole(ROLES.find((each) => each === value) ?? role)}
      />
    </FormDialog>
  );
}
