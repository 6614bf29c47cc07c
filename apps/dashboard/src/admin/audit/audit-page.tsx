import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { atLeast } from '@weft/access';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client';
import { may, useMe } from '../../session/me';
import { Paged } from '../../ui/paged';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { usePages } from '../../ui/use-pages';
import { AdminPage } from '../admin-page';
import { useUserNames } from '../user-names';
import { actionText } from './audit-actions';
import { AuditFilters } from './audit-filters';
import { exportPath, type AuditSearch } from './audit-search';
import { Changes } from './changes';
import { ThingLink } from './thing-link';

const SIZE = 100;

export function AuditPage() {
  const search = useSearch({ from: '/shell/admin/audit' });
  const navigate = useNavigate();
  const change = (next: AuditSearch): void => void navigate({ to: '/admin/audit', search: next });
  return (
    <AdminPage at="/admin/audit" title="Audit log" aside={<Aside search={search} />}>
      <AuditFilters key={JSON.stringify(search)} search={search} onChange={change} />
      <Entries search={search} />
    </AdminPage>
  );
}

function Aside({ search }: { readonly search: AuditSearch }) {
  const me = useMe();
  const verify = useMutation({
    mutationFn: () => {
      const query = search.installation ? { installation: true } : {};
      return answerOf(api.GET('/api/v1/audit/verify', { params: { query } }));
    },
    onError: showError,
    onSuccess: ({ ok, checked, first_bad }) =>
      notifications.show({
        color: ok ? 'green' : 'red',
        autoClose: 10_000,
        title: ok ? 'The log is whole' : 'The log was changed',
        message: ok ? `${checked.toLocaleString()} entries checked.` : `First bad entry: ${first_bad ?? 'unknown'}`,
      }),
  });
  return (
    <>
      {may(me, atLeast('admin')) && (
        <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
          Verify
        </Button>
      )}
      <Button component="a" variant="default" href={exportPath(search, 'csv')} download>
        CSV
      </Button>
      <Button component="a" variant="default" href={exportPath(search, 'ndjson')} download>
        NDJSON
      </Button>
    </>
  );
}

function Entries({ search }: { readonly search: AuditSearch }) {
  const names = useUserNames();
  const pages = usePages(['audit', search], (cursor) => {
    const { installation, ...filter } = search;
    const query = { ...filter, ...cursor, limit: SIZE, ...(installation && { installation: true }) };
    return answerOf(api.GET('/api/v1/audit', { params: { query } }));
  });
  return (
    <Paged pages={pages}>
      {(entries) => (
        <Table
          caption="Audit log"
          hideCaption
          columns={['When', 'Who', 'What', 'On', 'Changes', 'From']}
          empty="No entry matches."
          rows={entries.map((entry) => ({
            key: entry.id,
            cells: [
              <Time key="at" at={entry.timestamp} />,
              (entry.UserID && names.get(entry.UserID)) ?? entry.UserEmail ?? entry.UserID ?? 'Weft itself',
              <>
                {actionText(entry.action_type)}
                {entry.outcome === 'failure' && ' (refused)'}
                {entry.reason !== null && <span className="soft">: {entry.reason}</span>}
              </>,
              <ThingLink key="thing" type={entry.resource_type} id={entry.resource_id} />,
              <Changes key="changes" changes={entry.changes} entriesDeleted={entry.entries_deleted} />,
              <span key="from" className="soft mono">
                {entry.UserIPAddress ?? '–'}
              </span>,
            ],
          }))}
        />
      )}
    </Paged>
  );
}
