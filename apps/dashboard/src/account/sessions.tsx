import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { signOut } from '../session/session';
import { ErrorNotice } from '../ui/error-notice';
import { showError } from '../ui/show-error';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { browserName } from './browser-name';
import classes from './account.module.css';

const KEY = ['sessions'];

export function Sessions() {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: () => answerOf(api.GET('/api/v1/auth/sessions', { params: { query: { size: 200 } } })),
  });
  const end = useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE('/api/v1/auth/sessions/{id}', { params: { path: { id } } })),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  const endAll = useMutation({
    mutationFn: async () => {
      await answerOf(api.DELETE('/api/v1/auth/sessions'));
      await signOut();
    },
    onError: showError,
  });
  if (error) return <ErrorNotice error={error} />;
  return (
    <>
      <div className={classes.row}>
        <p className="soft">
          A session ends by itself an hour after its last request, unless your operators chose another time.
        </p>
        <Button variant="default" loading={endAll.isPending} onClick={() => endAll.mutate()}>
          Sign out everywhere
        </Button>
      </div>
      <Table
        caption="Your sessions"
        hideCaption
        columns={['Browser', 'Address', 'Since', 'Last used', '']}
        rows={(data?.items ?? []).map((session) => ({
          key: session.id,
          cells: [
            <span key="browser" title={session.UserAgent}>
              {browserName(session.UserAgent)}
            </span>,
            <span key="address" className="num">
              {session.IPAddress}
            </span>,
            <Time key="since" at={session.CreatedAt} />,
            <Time key="used" at={session.LastActivity} />,
            session.Current ? (
              'this one'
            ) : (
              <Button key="end" variant="default" onClick={() => end.mutate(session.id)}>
                End
              </Button>
            ),
          ],
        }))}
      />
    </>
  );
}
