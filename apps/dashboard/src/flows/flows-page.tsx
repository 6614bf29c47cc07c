import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answerOf, api } from '../api/client';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { Table } from '../ui/table';
import { Time } from '../ui/time';

export function FlowsPage() {
  const { data, error } = useQuery({
    queryKey: ['flows', 'list'],
    queryFn: () => answerOf(api.GET('/api/v1/flows', { params: { query: { size: 50 } } })),
  });
  return (
    <Page title="Flows">
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Skeleton height={240} />}
      {data && (
        <Table
          caption="Flows"
          hideCaption
          columns={['Flow', 'Category', 'Version', 'Changed']}
          empty="No flow yet."
          rows={data.items.map(({ id, name, category, version, updatedAt }) => ({
            key: id,
            cells: [
              <Link key="name" to="/flows/$flowId" params={{ flowId: id }}>
                {name}
              </Link>,
              category,
              version,
              <Time key="at" at={updatedAt} />,
            ],
          }))}
        />
      )}
    </Page>
  );
}
