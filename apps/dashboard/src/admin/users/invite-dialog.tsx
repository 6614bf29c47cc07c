import { Button, Modal, Select, TextInput } from '@mantine/core';
import { ROLES, type Role } from '@weft/access';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { ROLE_NAMES, useMe } from '../../session/me';
import { ErrorNotice } from '../../ui/error-notice';
import { Once } from '../once';
import { USERS_KEY } from './user';
import classes from '../admin.module.css';

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
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    invite.mutate();
  };
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
    <Modal opened onClose={onClose} title="Invite somebody">
      <form onSubmit={submit} className={classes.form}>
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
        {invite.isError && <ErrorNotice error={invite.error} />}
        <Button type="submit" loading={invite.isPending}>
          Make the invitation
        </Button>
      </form>
    </Modal>
  );
}
