import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../ui/error-notice';
import { Table } from '../../ui/table';
import { previewQuery, scopeWords } from './policy';
import classes from '../admin.module.css';

/** What the next cleanup would delete, by the policies as they are stored. */
export function Preview() {
  const { data, error, refetch } = useQuery(previewQuery);
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={120} radius="md" />;
  return (
    <Table
      caption="If the cleanup ran now"
      columns={['What', 'By', 'Would be deleted', 'Would stay']}
      empty="Nothing is governed."
      rows={data.map(({ collection, scope, policy_id, would_delete, kept, capped }, i) => ({
        key: `${i} ${collection}`,
        cells: [
          scopeWords(scope) ?? collection,
          policy_id === null ? 'default' : 'policy',
          <span key="gone" className={`num ${would_delete > 0 ? classes.bad : ''}`}>
            {`${would_delete.toLocaleString()}${capped ? ' or more' : ''}`}
          </span>,
          <span key="kept" className="num">
            {`${kept.toLocaleString()}${capped ? ' or more' : ''}`}
          </span>,
        ],
      }))}
    />
  );
}
