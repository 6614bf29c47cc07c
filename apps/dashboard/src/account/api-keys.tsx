import { Button, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { useMe } from '../session/me';
import { ErrorNotice } from '../ui/error-notice';
import { KEYS_KEY, KeyTable } from './key-table';
import { NewApiKey } from './new-api-key';

/** The keys of the person who looks; those of others are in Admin. */
export function ApiKeys() {
  const me = useMe();
  const queries = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: [...KEYS_KEY, 'own'],
    queryFn: () =>
      answerOf(api.GET('/api/v1/admin/api-keys', { params: { query: { user_id: me.user.id, size: 200 } } })),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Button onClick={() => setMaking(true)}>New key</Button>
      <NewApiKey
        opened={isMaking}
        onClose={() => setMaking(false)}
        onMade={() => void queries.invalidateQueries({ queryKey: KEYS_KEY })}
      />
      {data ? (
        <KeyTable
          caption="Your API keys"
          keys={data.items}
          empty="You have no key yet. A key lets a program call the API with your rights."
        />
      ) : (
        <Skeleton height={120} radius="md" />
      )}
    </>
  );
}
