import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { useMe } from '../session/me';
import { Confirm } from '../ui/confirm';
import { ErrorNotice } from '../ui/error-notice';
import { showError } from '../ui/show-error';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { NewApiKey } from './new-api-key';

const KEY = ['api-keys', 'own'];

/** The keys of the person who looks; those of others are in Admin. */
export function ApiKeys() {
  const me = useMe();
  const queries = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: () =>
      answerOf(api.GET('/api/v1/admin/api-keys', { params: { query: { user_id: me.user.id, size: 200 } } })),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: KEY });
  const revoke = useMutation({
    mutationFn: (key_id: string) =>
      answerOf(api.DELETE('/api/v1/admin/api-keys/{key_id}', { params: { path: { key_id } } })),
    onError: showError,
    onSettled: refresh,
  });
  if (error) return <ErrorNotice error={error} />;
  return (
    <>
      <Button onClick={() => setMaking(true)}>New key</Button>
      <NewApiKey opened={isMaking} onClose={() => setMaking(false)} onMade={() => void refresh()} />
      <Table
        caption="Your API keys"
        hideCaption
        columns={['Name', 'Scope', 'Ends', 'Last used', '']}
        empty="You have no key yet. A key lets a program call the API with your rights."
        rows={(data?.items ?? []).map(({ id, name, scope, expires_at, last_used_at, revoked_at }) => ({
          key: id,
          cells: [
            name,
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
