import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { Confirm } from '../ui/confirm';
import { Paged } from '../ui/paged';
import { showError } from '../ui/show-error';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { usePages } from '../ui/use-pages';
import { AdminPage } from './admin-page';
import { useUserNames } from './user-names';

const KEY = ['api-keys', 'all'];

/** The keys of everybody in the company; one makes one's own under “Your account”. */
export function KeysPage() {
  return (
    <AdminPage
      at="/admin/keys"
      title="API keys"
      aside={
        <Link to="/account" search={{ tab: 'keys' }}>
          Your own keys
        </Link>
      }
    >
      <Keys />
    </AdminPage>
  );
}

function Keys() {
  const queries = useQueryClient();
  const names = useUserNames();
  const [revoking, setRevoking] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const pages = usePages(KEY, (cursor) => answerOf(api.GET('/api/v1/admin/api-keys', { params: { query: cursor } })));
  const revoke = useMutation({
    mutationFn: (key_id: string) =>
      answerOf(api.DELETE('/api/v1/admin/api-keys/{key_id}', { params: { path: { key_id } } })),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  return (
    <>
      <Paged pages={pages}>
        {(keys) => (
          <Table
            caption="API keys"
            hideCaption
            columns={['Name', 'Acts as', 'Scope', 'Ends', 'Last used', '']}
            empty="No key yet. Admins make keys under “Your account”."
            rows={keys.map(({ id, name, user_id, scope, expires_at, last_used_at, revoked_at }) => ({
              key: id,
              cells: [
                name,
                names.get(user_id) ?? user_id,
                <code key="scope">{scope}</code>,
                <Time key="ends" at={expires_at} />,
                <Time key="used" at={last_used_at} fallback="never" />,
                revoked_at ? (
                  'revoked'
                ) : (
                  <Button key="revoke" variant="default" onClick={() => setRevoking({ id, name })}>
                    Revoke …
                  </Button>
                ),
              ],
            }))}
          />
        )}
      </Paged>
      {revoking && (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          action="Revoke"
          onConfirm={() => revoke.mutate(revoking.id)}
          onClose={() => setRevoking(null)}
        >
          Programs that use this key are refused from now on. It cannot be taken back.
        </Confirm>
      )}
    </>
  );
}
