import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { flowNamesQuery } from '../../flows/flow-names';
import { Confirm } from '../../ui/confirm';
import { durationText } from '../../ui/duration';
import { ErrorNotice } from '../../ui/error-notice';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useCommand } from '../../ui/use-command';
import { flowGroupsQuery } from '../access/access';
import { AdminPage } from '../admin-page';
import { HistoryLink } from '../history-link';
import { PolicyDialog } from './policy-dialog';
import { RETENTION_KEY, scopeWords, type Policy } from './policy';
import { Preview } from './preview';
import classes from '../admin.module.css';

export function RetentionPage() {
  const [isMaking, setMaking] = useState(false);
  return (
    <AdminPage
      at="/admin/retention"
      title="Retention"
      aside={<Button onClick={() => setMaking(true)}>New policy …</Button>}
    >
      <LastCleanup />
      <Policies />
      <Preview />
      {isMaking && <PolicyDialog onClose={() => setMaking(false)} />}
    </AdminPage>
  );
}

function LastCleanup() {
  const { data, error } = useQuery({
    queryKey: [...RETENTION_KEY, 'stats'],
    queryFn: () => answerOf(api.GET('/api/v1/admin/retention-policies/stats')),
  });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Skeleton height={20} width={320} />;
  return (
    <p className="soft">
      Last cleanup <Time at={data.last_cleanup} fallback="never" />
      {data.last_cleanup !== null && (
        <>
          , {data.entries_deleted.toLocaleString()} entries deleted
          {data.last_duration_ms !== null && ` in ${durationText(data.last_duration_ms)}`}
        </>
      )}
      ; next <Time at={data.next_cleanup} fallback="not known yet" />
    </p>
  );
}

function Policies() {
  const [changing, setChanging] = useState<Policy | null>(null);
  const [deleting, setDeleting] = useState<Policy | null>(null);
  const subjectOf = useSubjects();
  const { data, error, refetch } = useQuery({
    queryKey: [...RETENTION_KEY, 'policies'],
    queryFn: async () => (await answerOf(api.GET('/api/v1/admin/retention-policies'))).policies,
  });
  const remove = useCommand({
    send: ({ id }: Policy) =>
      answerOf(api.DELETE('/api/v1/admin/retention-policies/{id}', { params: { path: { id } } })),
    stales: RETENTION_KEY,
    says: (policy) => `The policy for “${subjectOf(policy)}” is deleted.`,
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={120} radius="md" />;
  return (
    <>
      <Table
        caption="Policies"
        columns={['What', 'Goes after', 'Newest that stay', 'Never before', '', '']}
        empty="No policy: the defaults hold, as the preview shows."
        rows={data.map((policy) => ({
          key: policy.id,
          cells: [
            subjectOf(policy),
            policy.cadence,
            <span key="min" className="num">
              {policy.effective.min_entries.toLocaleString()}
            </span>,
            policy.effective.enforced_minimum === '0' ? '–' : policy.effective.enforced_minimum,
            policy.enabled ? '' : 'off',
            <span key="do" className={classes.row}>
              <Button variant="default" onClick={() => setChanging(policy)}>
                Change …
              </Button>
              <Button variant="default" onClick={() => setDeleting(policy)}>
                Delete …
              </Button>
              <HistoryLink type="retention_policy" id={policy.id} />
            </span>,
          ],
        }))}
      />
      {changing && <PolicyDialog policy={changing} onClose={() => setChanging(null)} />}
      {deleting && (
        <Confirm
          title={`Delete the policy for “${subjectOf(deleting)}”?`}
          action="Delete"
          onConfirm={() => remove.mutate(deleting)}
          onClose={() => setDeleting(null)}
        >
          Less specific policies, or the defaults, hold again: they may delete sooner.
        </Confirm>
      )}
    </>
  );
}

function useSubjects(): (policy: Policy) => string {
  const { data: flows } = useQuery(flowNamesQuery);
  const { data: groups } = useQuery(flowGroupsQuery);
  return ({ scope, flow_id, flow_group_id }) => {
    if (flow_id !== null) return `plays of “${flows?.get(flow_id) ?? flow_id}”`;
    if (flow_group_id !== null) {
      return `plays of the group “${groups?.find(({ id }) => id === flow_group_id)?.name ?? flow_group_id}”`;
    }
    return scopeWords(scope) ?? scope ?? '';
  };
}
