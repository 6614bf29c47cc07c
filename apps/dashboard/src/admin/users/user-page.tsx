import { Skeleton } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client';
import { may, ROLE_NAMES, useMe } from '../../session/me';
import { CopyText } from '../../ui/copy-text';
import { ErrorNotice } from '../../ui/error-notice';
import { Facts } from '../../ui/facts';
import { Time } from '../../ui/time';
import { AdminPage } from '../admin-page';
import { Grants } from '../access/grants';
import { HistoryLink } from '../history-link';
import { roleIn, userKey, type User } from './user';
import { UserCommands } from './user-commands';
import classes from '../admin.module.css';

export function UserPage() {
  const { userId } = useParams({ from: '/shell/admin/users/$userId' });
  return (
    <AdminPage at="/admin/users" title="User" aside={<Link to="/admin/users">All users</Link>}>
      <OneUser key={userId} id={userId} />
    </AdminPage>
  );
}

function OneUser({ id }: { readonly id: string }) {
  const me = useMe();
  const isAdmin = may(me, atLeast('admin'));
  const { data, error, refetch } = useQuery({
    queryKey: userKey(id),
    queryFn: () => answerOf(api.GET('/api/v1/users/{id}', { params: { path: { id } } })),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={200} radius="md" />;
  return (
    <>
      <section className={`panel ${classes.section}`} aria-label={data.email}>
        <h2>{data.name ?? data.email}</h2>
        <Facts facts={factsOf(data, me.company_id)} />
      </section>
      {isAdmin && <UserCommands key={data.state} user={data} />}
      {isAdmin && <Grants grantee={{ type: 'user', id }} />}
    </>
  );
}

function factsOf(user: User, companyId: string) {
  return [
    ['E-mail', user.email],
    ['Role', `${ROLE_NAMES[roleIn(user, companyId)]}${user.operator ? ', operator of the installation' : ''}`],
    ['State', STATES[user.state]],
    ['Last seen', <Time key="seen" at={user.last_activity} fallback="never" />],
    ['Since', <Time key="since" at={user.created_at} />],
    ['User id', <CopyText key="id" text={user.id} />],
    [
      'Audit log',
      <span key="log">
        <HistoryLink type="user" id={user.id} /> of the user ·{' '}
        <Link to="/admin/audit" search={{ actor: user.id }}>
          What the user did
        </Link>
      </span>,
    ],
  ] as const;
}

const STATES = {
  active: 'active',
  invited: 'invited: has not chosen a password yet',
  deactivated: 'deactivated: is kept out of this company',
} as const;
