import { Tabs } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { may, useMe } from '../session/me';
import { Page } from '../ui/page';
import { ApiKeys } from './api-keys';
import { Identities } from './identities';
import { PasswordForm } from './password-form';
import { Profile } from './profile';
import { Sessions } from './sessions';

export function AccountPage() {
  const me = useMe();
  const { tab = 'profile' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isAdmin = may(me, atLeast('admin'));
  return (
    <Page title="Your account" help="docs/access.md" narrow>
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ to: '/account', search: { tab: next ?? 'profile' } })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="profile">Profile</Tabs.Tab>
          <Tabs.Tab value="password">Password</Tabs.Tab>
          <Tabs.Tab value="sessions">Sessions</Tabs.Tab>
          {isAdmin && <Tabs.Tab value="keys">API keys</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="profile" pt="md">
          <Profile />
        </Tabs.Panel>
        <Tabs.Panel value="password" pt="md">
          <PasswordForm />
          <Identities />
        </Tabs.Panel>
        <Tabs.Panel value="sessions" pt="md">
          <Sessions />
        </Tabs.Panel>
        {isAdmin && (
          <Tabs.Panel value="keys" pt="md">
            <ApiKeys />
          </Tabs.Panel>
        )}
      </Tabs>
    </Page>
  );
}
