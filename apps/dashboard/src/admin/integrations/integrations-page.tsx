import { Button } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useMutation } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { may, useMe } from '../../session/me';
import { Confirm } from '../../ui/confirm';
import { Paged } from '../../ui/paged';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useCommand } from '../../ui/use-command';
import { usePages } from '../../ui/use-pages';
import { AdminPage } from '../admin-page';
import { useUserNames } from '../user-names';
import { IntegrationDialog, type Integration } from './integration-dialog';
import classes from '../admin.module.css';

const KEY = ['integrations'];

export function IntegrationsPage() {
  const [isMaking, setMaking] = useState(false);
  return (
    <AdminPage
      at="/admin/integrations"
      title="Integrations"
      aside={<Button onClick={() => setMaking(true)}>New integration …</Button>}
    >
      <p className="soft">
        What flows use to sign in at other services. Tokens are stored encrypted, and never shown again.
      </p>
      <Integrations />
      {isMaking && <IntegrationDialog onClose={() => setMaking(false)} />}
    </AdminPage>
  );
}

function Integrations() {
  const me = useMe();
  const names = useUserNames();
  const isAdmin = may(me, atLeast('admin'));
  const [changing, setChanging] = useState<Integration | null>(null);
  const [deleting, setDeleting] = useState<Integration | null>(null);
  const pages = usePages(KEY, (cursor) => answerOf(api.GET('/api/v1/integrations', { params: { query: cursor } })));
  const path = (id: string) => ({ params: { path: { id } } });
  const test = useMutation({
    mutationFn: ({ id }: Integration) => answerOf(api.POST('/api/v1/integrations/{id}/test', path(id))),
    onError: showError,
    onSuccess: ({ ok, detail }, { Name }) =>
      notifications.show({
        color: ok ? 'green' : 'red',
        title: `${Name} ${ok ? 'works' : 'does not work'}`,
        message: detail,
      }),
  });
  const remove = useCommand({
    send: ({ id }: Integration) => answerOf(api.DELETE('/api/v1/integrations/{id}', path(id))),
    stales: KEY,
    says: ({ Name }) => `“${Name}” is deleted.`,
  });
  const connect = useMutation({
    mutationFn: ({ id }: Integration) => {
      const body = { integration_id: id, returnTo: '/admin/integrations' };
      return answerOf(api.POST('/api/v1/integrations/connect', { body }));
    },
    onError: showError,
    onSuccess: ({ authorize_url }) => window.location.assign(authorize_url),
  });
  return (
    <>
      <Paged pages={pages}>
        {(links) => (
          <Table
            caption="Integrations"
            hideCaption
            columns={['Name', 'Type', 'Endpoint', 'Of', 'Token ends', 'Changed', '']}
            empty="No integration yet. Layers that call other services take their tokens from one."
            rows={links.map((link) => ({
              key: link.id,
              cells: [
                <span key="name">
                  {link.Name} {link.Key !== null && <code className="soft">{link.Key}</code>}
                </span>,
                link.IntegrationType,
                link.Endpoint ?? '–',
                link.ProviderUserEmail ?? names.get(link.UserID) ?? link.UserID,
                <Time key="ends" at={link.TokenExpiry} fallback="not said" />,
                <Time key="changed" at={link.UpdatedAt} />,
                <span key="do" className={classes.row}>
                  <Button
                    variant="default"
                    loading={test.isPending && test.variables.id === link.id}
                    onClick={() => test.mutate(link)}
                  >
                    Test
                  </Button>
                  {link.Kind === 'oauth2' && (
                    <Button variant="default" onClick={() => connect.mutate(link)}>
                      Connect
                    </Button>
                  )}
                  {(isAdmin || link.UserID === me.user.id) && (
                    <Button variant="default" onClick={() => setChanging(link)}>
                      Change …
                    </Button>
                  )}
                  {isAdmin && (
                    <Button variant="default" onClick={() => setDeleting(link)}>
                      Delete …
                    </Button>
                  )}
                </span>,
              ],
            }))}
          />
        )}
      </Paged>
      {changing && <IntegrationDialog link={changing} onClose={() => setChanging(null)} />}
      {deleting && (
        <Confirm
          title={`Delete “${deleting.Name}”?`}
          action="Delete"
          onConfirm={() => remove.mutate(deleting)}
          onClose={() => setDeleting(null)}
        >
          Layers that name it fail from now on. Its token is gone for good.
        </Confirm>
      )}
    </>
  );
}
