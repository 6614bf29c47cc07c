import { Button, Select } from '@mantine/core';
import { atLeast, ROLES } from '@weft/access';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { may, ROLE_NAMES, useMe } from '../../session/me';
import { Paged } from '../../ui/paged';
import { SearchField } from '../../ui/search-field';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { usePages } from '../../ui/use-pages';
import { AdminPage } from '../admin-page';
import { InviteDialog } from './invite-dialog';
import { roleIn } from './user';
import { USER_STATES, type UsersSearch } from './users-search';
import classes from '../admin.module.css';

export function UsersPage() {
  const me = useMe();
  const [isInviting, setInviting] = useState(false);
  const isAdmin = may(me, atLeast('admin'));
  return (
    <AdminPage
      at="/admin/users"
      title="Users"
      aside={isAdmin && <Button onClick={() => setInviting(true)}>Invite …</Button>}
    >
      <Users />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </AdminPage>
  );
}

function Users() {
  const me = useMe();
  const search = useSearch({ from: '/shell/admin/users' });
  const navigate = useNavigate();
  const pages = usePages(['users', search], (cursor) =>
    answerOf(api.GET('/api/v1/users', { params: { query: { ...search, ...cursor } } })),
  );
  const set = (fields: { readonly [K in keyof UsersSearch]: UsersSearch[K] | null }): void => {
    const next = Object.entries({ ...search, ...fields }).filter(([, value]) => value !== null && value !== '');
    void navigate({ to: '/admin/users', search: Object.fromEntries(next) });
  };
  return (
    <>
      <div className={classes.filters} role="search">
        <SearchField key={search.q} label="Name or address" value={search.q} onFind={(q) => set({ q })} />
        <Select
          aria-label="Role"
          placeholder="Any role"
          clearable
          data={ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
          value={search.role ?? null}
          onChange={(value) => set({ role: ROLES.find((each) => each === value) ?? null })}
        />
        <Select
          aria-label="State"
          placeholder="Any state"
          clearable
          data={[...USER_STATES]}
          value={search.state ?? null}
          onChange={(value) => set({ state: USER_STATES.find((each) => each === value) ?? null })}
        />
        <span className="soft">{pages.total !== '' && `${pages.total} in all`}</span>
      </div>
      <Paged pages={pages}>
        {(users) => (
          <Table
            caption="Users"
            hideCaption
            columns={['Name', 'E-mail', 'Role', 'State', 'Last seen']}
            empty="No user matches."
            rows={users.map((user) => ({
              key: user.id,
              cells: [
                <Link key="name" to="/admin/users/$userId" params={{ userId: user.id }}>
                  {user.name ?? user.email}
                </Link>,
                user.email,
                <>
                  {ROLE_NAMES[roleIn(user, me.company_id)]}
                  {user.operator && ', operator'}
                </>,
                user.state,
                <Time key="seen" at={user.last_activity} fallback="never" />,
              ],
            }))}
          />
        )}
      </Paged>
    </>
  );
}
