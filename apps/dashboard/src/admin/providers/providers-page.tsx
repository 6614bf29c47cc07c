import { Button } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { ROLE_NAMES } from '../../session/me';
import { Confirm } from '../../ui/confirm';
import { Paged } from '../../ui/paged';
import { Table } from '../../ui/table';
import { useCommand } from '../../ui/use-command';
import { usePages } from '../../ui/use-pages';
import { AdminPage } from '../admin-page';
import { ProviderDialog, PROVIDERS_KEY, type Provider } from './provider-dialog';
import classes from '../admin.module.css';

export function ProvidersPage() {
  const [isMaking, setMaking] = useState(false);
  return (
    <AdminPage
      at="/admin/providers"
      title="Identity providers"
      aside={<Button onClick={() => setMaking(true)}>New provider …</Button>}
    >
      <p className="soft">People of the whole installation sign in with these, by OpenID Connect.</p>
      <Providers />
      {isMaking && <ProviderDialog onClose={() => setMaking(false)} />}
    </AdminPage>
  );
}

function Providers() {
  const [changing, setChanging] = useState<Provider | null>(null);
  const [deleting, setDeleting] = useState<Provider | null>(null);
  const pages = usePages(PROVIDERS_KEY, (cursor) =>
    answerOf(api.GET('/api/v1/admin/oauth-providers', { params: { query: cursor } })),
  );
  const remove = useCommand({
    send: ({ id }: Provider) =>
      answerOf(api.DELETE('/api/v1/admin/oauth-providers/{id}', { params: { path: { id } } })),
    stales: PROVIDERS_KEY,
    says: ({ name }) => `“${name}” is deleted.`,
  });
  return (
    <>
      <Paged pages={pages}>
        {(providers) => (
          <Table
            caption="Identity providers"
            hideCaption
            columns={['Name', 'Issuer', 'Client', 'New people', '']}
            empty="None: everybody signs in with a password."
            rows={providers.map((provider) => ({
              key: provider.id,
              cells: [
                provider.name,
                provider.issuer,
                <>
                  <code>{provider.client_id}</code>
                  <span className="soft">{provider.has_client_secret ? ', with a secret' : ', without a secret'}</span>
                </>,
                provider.auto_create_users ? `become users: ${ROLE_NAMES[provider.auto_assign_role]}` : 'are refused',
                provider.built_in ? (
                  <span className="soft">comes from the settings</span>
                ) : (
                  <span key="do" className={classes.row}>
                    <Button variant="default" onClick={() => setChanging(provider)}>
                      Change …
                    </Button>
                    <Button variant="default" onClick={() => setDeleting(provider)}>
                      Delete …
                    </Button>
                  </span>
                ),
              ],
            }))}
          />
        )}
      </Paged>
      {changing && <ProviderDialog provider={changing} onClose={() => setChanging(null)} />}
      {deleting && (
        <Confirm
          title={`Delete “${deleting.name}”?`}
          action="Delete"
          onConfirm={() => remove.mutate(deleting)}
          onClose={() => setDeleting(null)}
        >
          Nobody signs in with it any more. Those who have a password still sign in with that.
        </Confirm>
      )}
    </>
  );
}
