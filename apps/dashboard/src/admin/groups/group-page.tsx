import { Button, Select, Skeleton } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { may, useMe } from '../../session/me';
import { Confirm } from '../../ui/confirm';
import { ErrorNotice } from '../../ui/error-notice';
import { NameDialog } from '../../ui/name-dialog';
import { Table } from '../../ui/table';
import { useCommand } from '../../ui/use-command';
import { AdminPage } from '../admin-page';
import { Grants } from '../access/grants';
import { HistoryLink } from '../history-link';
import { useUserNames } from '../user-names';
import { GROUPS_KEY, type Group } from './groups';
import classes from '../admin.module.css';

export function GroupPage() {
  const { groupId } = useParams({ from: '/shell/admin/groups/$groupId' });
  const isAdmin = may(useMe(), atLeast('admin'));
  const { data, error, refetch } = useQuery({
    queryKey: [...GROUPS_KEY, groupId],
    enabled: isAdmin,
    queryFn: () => answerOf(api.GET('/api/v1/groups/{id}', { params: { path: { id: groupId } } })),
  });
  const aside = (
    <>
      <HistoryLink type="group" id={groupId} />
      <Link to="/admin/groups">All groups</Link>
    </>
  );
  return (
    <AdminPage at="/admin/groups" title={data?.name ?? 'Group'} aside={aside}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={160} radius="md" />}
      {data && <OneGroup group={data} />}
    </AdminPage>
  );
}

function OneGroup({ group: { id, name, members } }: { readonly group: Group }) {
  const navigate = useNavigate();
  const names = useUserNames();
  const [adding, setAdding] = useState<string | null>(null);
  const [asked, setAsked] = useState<'rename' | 'delete' | null>(null);
  const memberPath = '/api/v1/groups/{id}/members/{user_id}';
  const change = useCommand({
    send: async ({ user_id, isIn }: { readonly user_id: string; readonly isIn: boolean }) => {
      const path = { params: { path: { id, user_id } } };
      await answerOf(isIn ? api.PUT(memberPath, path) : api.DELETE(memberPath, path));
      setAdding(null);
    },
    stales: GROUPS_KEY,
    says: ({ user_id, isIn }) => `${names.get(user_id) ?? user_id} is ${isIn ? 'in the group' : 'out of the group'}.`,
  });
  const remove = useCommand({
    send: async () => {
      await answerOf(api.DELETE('/api/v1/groups/{id}', { params: { path: { id } } }));
      await navigate({ to: '/admin/groups' });
    },
    stales: GROUPS_KEY,
    says: () => `The group “${name}” is deleted.`,
  });
  const others = [...names].filter(([user]) => !members.includes(user));
  return (
    <>
      <div className={classes.row}>
        <Button variant="default" onClick={() => setAsked('rename')}>
          Rename …
        </Button>
        <Button variant="default" loading={remove.isPending} onClick={() => setAsked('delete')}>
          Delete …
        </Button>
      </div>
      <Table
        caption="Members"
        columns={['Name', '']}
        empty="Nobody yet."
        rows={members.map((user_id) => ({
          key: user_id,
          cells: [
            <Link key="name" to="/admin/users/$userId" params={{ userId: user_id }}>
              {names.get(user_id) ?? user_id}
            </Link>,
            <Button key="out" variant="default" onClick={() => change.mutate({ user_id, isIn: false })}>
              Take out
            </Button>,
          ],
        }))}
      />
      <div className={classes.row}>
        <Select
          aria-label="Somebody to add"
          placeholder="Add somebody"
          searchable
          data={others.map(([value, label]) => ({ value, label }))}
          value={adding}
          onChange={setAdding}
        />
        <Button
          disabled={adding === null}
          loading={change.isPending}
          onClick={() => change.mutate({ user_id: adding ?? '', isIn: true })}
        >
          Add
        </Button>
      </div>
      <Grants grantee={{ type: 'group', id }} />
      {asked === 'rename' && (
        <NameDialog
          title="Rename the group"
          action="Rename"
          name={name}
          stales={GROUPS_KEY}
          save={(next) =>
            answerOf(api.PATCH('/api/v1/groups/{id}', { params: { path: { id } }, body: { name: next } }))
          }
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'delete' && (
        <Confirm
          title={`Delete the group “${name}”?`}
          action="Delete"
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(null)}
        >
          What is granted to it, its {members.length} members lose.
        </Confirm>
      )}
    </>
  );
}
