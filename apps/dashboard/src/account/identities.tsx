import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { ErrorNotice } from '../ui/error-notice';
import { showError } from '../ui/show-error';
import { Table } from '../ui/table';
import { Time } from '../ui/time';

/** The accounts at identity providers that open this one. */
export function Identities() {
  const queries = useQueryClient();
  const providers = useQuery({
    queryKey: ['providers'],
    queryFn: () => answerOf(api.GET('/api/v1/auth/providers')),
    staleTime: Infinity,
  });
  const { data, error } = useQuery({
    queryKey: ['identities'],
    queryFn: () => answerOf(api.GET('/api/v1/auth/identities')),
  });
  const untie = useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE('/api/v1/auth/identities/{id}', { params: { path: { id } } })),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['identities'] }),
  });
  if (error) return <ErrorNotice error={error} />;
  const known = providers.data?.items ?? [];
  if (known.length === 0 && (data?.items.length ?? 0) === 0) return null;
  const nameOf = (id: string | null): string => known.find((provider) => provider.id === id)?.name ?? id ?? '–';
  return (
    <>
      <Table
        caption="Sign in with a provider"
        columns={['Provider', 'Account', 'Last used', '']}
        empty="No account at a provider opens this one yet."
        rows={(data?.items ?? []).map(({ id, provider_id, email, last_login_at }) => ({
          key: id,
          cells: [
            nameOf(provider_id),
            email,
            <Time key="at" at={last_login_at} fallback="never" />,
            <Button key="untie" variant="default" onClick={() => untie.mutate(id)}>
              Untie
            </Button>,
          ],
        }))}
      />
      {known.map(({ id, name, login_url }) => (
        <Button
          key={id}
          component="a"
          mt="sm"
          mr="xs"
          variant="default"
          href={`${login_url}?link=true&returnTo=${encodeURIComponent('/account?tab=password')}`}
        >
          Tie an account at {name}
        </Button>
      ))}
    </>
  );
}
