import { Button, Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ROLES, type Role } from '@weft/access';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { ROLE_NAMES, useMe } from '../../session/me';
import { Confirm } from '../../ui/confirm';
import { showError } from '../../ui/show-error';
import { useCommand } from '../../ui/use-command';
import { ResetDialog } from './reset-dialog';
import { roleIn, USERS_KEY, type User } from './user';
import classes from '../admin.module.css';

type Asked = 'role' | 'deactivate' | 'remove' | 'reset' | null;

/** What an admin does with a user of the company. */
export function UserCommands({ user }: { readonly user: User }) {
  const me = useMe();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const now = roleIn(user, me.company_id);
  const [role, setRole] = useState<Role>(now);
  const [asked, setAsked] = useState<Asked>(null);
  const path = { params: { path: { id: user.id } } };
  const change = useMutation({
    mutationFn: (body: { readonly active?: boolean; readonly role?: Role }) => {
      const roles = body.role && { roles: [{ company_id: me.company_id, role: body.role }] };
      return answerOf(
        api.PATCH('/api/v1/users/{id}', {
          ...path,
          body: { ...(body.active !== undefined && { active: body.active }), ...roles },
        }),
      );
    },
    onError: (error) => {
      setRole(now);
      showError(error);
    },
    onSuccess: () => notifications.show({ message: 'Saved.' }),
    onSettled: () => queries.invalidateQueries({ queryKey: USERS_KEY }),
  });
  const remove = useCommand({
    send: async () => {
      await answerOf(api.DELETE('/api/v1/users/{id}', path));
      await navigate({ to: '/admin/users' });
    },
    stales: USERS_KEY,
    says: () => `${user.name ?? user.email} is removed.`,
  });
  const who = user.name ?? user.email;
  return (
    <section className={`panel ${classes.section}`} aria-label="Commands">
      <h2>Role and access</h2>
      <div className={classes.row}>
        <Select
          aria-label="Role"
          data={ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
          value={role}
          onChange={(value) => setRole(ROLES.find((each) => each === value) ?? role)}
        />
        <Button disabled={role === now} loading={change.isPending} onClick={() => setAsked('role')}>
          Give this role …
        </Button>
        <Button variant="default" onClick={() => setAsked('reset')}>
          Reset the password …
        </Button>
        {user.state === 'deactivated' ? (
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate({ active: true })}>
            Let in again
          </Button>
        ) : (
          <Button variant="default" loading={change.isPending} onClick={() => setAsked('deactivate')}>
            Deactivate …
          </Button>
        )}
        <Button variant="default" loading={remove.isPending} onClick={() => setAsked('remove')}>
          Remove …
        </Button>
      </div>
      {asked === 'role' && (
        <Confirm
          title={`Make ${who} ${ROLE_NAMES[role]}?`}
          action="Give the role"
          onConfirm={() => change.mutate({ role })}
          onClose={() => setAsked(null)}
        >
          Now: {ROLE_NAMES[now]}. It holds at once; where rights are taken away, their sessions in this company end.
        </Confirm>
      )}
      {asked === 'deactivate' && (
        <Confirm
          title={`Deactivate ${who}?`}
          action="Deactivate"
          onConfirm={() => change.mutate({ active: false })}
          onClose={() => setAsked(null)}
        >
          Their sessions end and their keys are refused. It can be taken back.
        </Confirm>
      )}
      {asked === 'remove' && (
        <Confirm
          title={`Remove ${who} from the company?`}
          action="Remove"
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(null)}
        >
          Their role, groups and grants here are gone. Flows and plays that they made stay.
        </Confirm>
      )}
      {asked === 'reset' && <ResetDialog user={user} onClose={() => setAsked(null)} />}
    </section>
  );
}
