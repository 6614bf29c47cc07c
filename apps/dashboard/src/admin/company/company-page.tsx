import { Button, Skeleton } from '@mantine/core';
import { atLeast, OPERATOR } from '@weft/access';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { may, useMe, meQuery } from '../../session/me';
import { Confirm } from '../../ui/confirm';
import { CopyText } from '../../ui/copy-text';
import { ErrorNotice } from '../../ui/error-notice';
import { Facts } from '../../ui/facts';
import { NameDialog } from '../../ui/name-dialog';
import { Paged } from '../../ui/paged';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { usePages } from '../../ui/use-pages';
import { AdminPage } from '../admin-page';
import { HistoryLink } from '../history-link';
import { BacklogDialog } from './backlog-dialog';
import { COMPANIES_KEY, type Company } from './company';
import classes from '../admin.module.css';

export function CompanyPage() {
  const me = useMe();
  return (
    <AdminPage at="/admin/company" title="Company">
      <OwnCompany />
      {may(me, OPERATOR) && <Companies />}
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
          ['Backlog at most', backlogText(data)],
          ['Audit log', <HistoryLink key="log" type="company" id={data.id} />],
        ]}
      />
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

/** All of the installation, for operators. */
function Companies() {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<'new' | null>(null);
  const [limiting, setLimiting] = useState<Company | null>(null);
  const [closing, setClosing] = useState<Company | null>(null);
  const pages = usePages([...COMPANIES_KEY, 'all'], (cursor) =>
    answerOf(api.GET('/api/v1/companies', { params: { query: cursor } })),
  );
  const change = useMutation({
    mutationFn: ({ id, active }: Pick<Company, 'id' | 'active'>) =>
      answerOf(api.PATCH('/api/v1/companies/{id}', { params: { path: { id } }, body: { active } })),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: COMPANIES_KEY }),
  });
  return (
    <>
      <Paged pages={pages}>
        {(companies) => (
          <Table
            caption="Companies of the installation"
            columns={['Name', 'State', 'Backlog at most', 'Since', '']}
            rows={companies.map((company) => ({
              key: company.id,
              cells: [
                company.name,
                company.active ? 'active' : 'closed',
                backlogText(company),
                <Time key="since" at={company.created_at} />,
                <span key="do" className={classes.row}>
                  <Button variant="default" onClick={() => setLimiting(company)}>
                    Backlog …
                  </Button>
                  {company.active ? (
                    <Button variant="default" onClick={() => setClosing(company)}>
                      Close …
                    </Button>
                  ) : (
                    <Button variant="default" onClick={() => change.mutate({ id: company.id, active: true })}>
                      Open again
                    </Button>
                  )}
                </span>,
              ],
            }))}
          />
        )}
      </Paged>
      <div>
        <Button variant="default" onClick={() => setAsked('new')}>
          New company …
        </Button>
      </div>
      {asked === 'new' && (
        <NameDialog
          title="New company"
          action="Make the company"
          stales={COMPANIES_KEY}
          save={(name) => answerOf(api.POST('/api/v1/companies', { body: { name } }))}
          onClose={() => setAsked(null)}
        />
      )}
      {limiting && <BacklogDialog company={limiting} onClose={() => setLimiting(null)} />}
      {closing && (
        <Confirm
          title={`Close “${closing.name}”?`}
          action="Close it"
          onConfirm={() => change.mutate({ id: closing.id, active: false })}
          onClose={() => setClosing(null)}
        >
          Nobody of it signs in, and its keys are refused, until it is opened again.
        </Confirm>
      )}
    </>
  );
}

function backlogText({ backlog_max }: Company): string {
  return backlog_max === null ? 'as the installation says' : `${backlog_max.toLocaleString()} plays`;
}
