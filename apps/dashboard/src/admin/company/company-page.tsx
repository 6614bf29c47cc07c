import { Button, Skeleton } from '@mantine/core';
import { atLeast, OPERATOR } from '@weft/access';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { may, useMe, meQuery } from '../../session/me';
import { CopyText } from '../../ui/copy-text';
import { ErrorNotice } from '../../ui/error-notice';
import { Facts } from '../../ui/facts';
import { NameDialog } from '../../ui/name-dialog';
import { Time } from '../../ui/time';
import { AdminPage } from '../admin-page';
import { HistoryLink } from '../history-link';
import { Companies } from './companies';
import { COMPANIES_KEY } from './company';
import { CompanyJobs } from './company-jobs';
import { limitsText } from './limits-text';
import { OwnWorkers } from './own-workers';
import { UsagePanel } from './usage-panel';
import classes from '../admin.module.css';

export function CompanyPage() {
  const me = useMe();
  return (
    <AdminPage at="/admin/company" title="Company">
      <OwnCompany />
      {may(me, OPERATOR) && (
        <>
          <Companies />
          <CompanyJobs />
        </>
      )}
    </AdminPage>
  );
}

function OwnCompany() {
  const me = useMe();
  const queries = useQueryClient();
  const [isRenaming, setRenaming] = useState(false);
  const path = { params: { path: { id: me.company_id } } };
  const { data, error, refetch } = useQuery({
    queryKey: [...COMPANIES_KEY, me.company_id],
    queryFn: () => answerOf(api.GET('/api/v1/companies/{id}', path)),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={140} radius="md" />;
  const rename = async (name: string): Promise<void> => {
    await answerOf(api.PATCH('/api/v1/companies/{id}', { ...path, body: { name } }));
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  return (
    <section className={`panel ${classes.section}`} aria-label="This company">
      <h2>{data.name}</h2>
      <Facts
        facts={[
          ['Id', <CopyText key="id" text={data.id} />],
          ['Since', <Time key="since" at={data.created_at} />],
          ['Limits', limitsText(data)],
          ...(data.worker_label !== null && may(me, atLeast('admin'))
            ? [['Workers', <OwnWorkers key="workers" label={data.worker_label} />] as const]
            : []),
          ['Audit log', <HistoryLink key="log" type="company" id={data.id} />],
        ]}
      />
      {may(me, atLeast('admin')) && (
        <div className={classes.usage}>
          <UsagePanel companyId={data.id} />
        </div>
      )}
      {may(me, atLeast('admin')) && (
        <Button mt="md" variant="default" onClick={() => setRenaming(true)}>
          Rename …
        </Button>
      )}
      {isRenaming && (
        <NameDialog
          title="Rename the company"
          action="Rename"
          name={data.name}
          stales={COMPANIES_KEY}
          save={rename}
          onClose={() => setRenaming(false)}
        />
      )}
    </section>
  );
}
