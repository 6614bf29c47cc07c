import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { useMe } from '../../session/me';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { NameDialog } from '../../ui/name-dialog';
import { Paged } from '../../ui/paged';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useCommand } from '../../ui/use-command';
import { usePages } from '../../ui/use-pages';
import classes from '../admin.module.css';
import { COMPANIES_KEY, COMPANY_JOBS_KEY, type Company } from './company';
import { EraseDialog } from './erase-dialog';
import { ImportDialog } from './import-dialog';
import { limitsText } from './limits-text';
import { LimitsDialog } from './limits-dialog';
import { UsagePanel } from './usage-panel';

type Asked = 'limits' | 'usage' | 'stop' | 'erase';

/** All of the installation, for operators. */
export function Companies() {
  const me = useMe();
  const [making, setMaking] = useState<'new' | 'import' | null>(null);
  const [asked, setAsked] = useState<{ readonly what: Asked; readonly company: Company } | null>(null);
  const pages = usePages([...COMPANIES_KEY, 'all'], (cursor) =>
    answerOf(api.GET('/api/v1/companies', { params: { query: cursor } })),
  );
  const set = useCommand<Pick<Company, 'id' | 'name' | 'active'>>({
    send: ({ id, active }) =>
      answerOf(api.PATCH('/api/v1/companies/{id}', { params: { path: { id } }, body: { active } })),
    stales: COMPANIES_KEY,
    says: ({ name, active }) => `“${name}” is ${active ? 'resumed' : 'stopped'}.`,
  });
  const write = useCommand<Company>({
    send: ({ id }) => answerOf(api.POST('/api/v1/companies/{id}/export', { params: { path: { id } } })),
    stales: COMPANY_JOBS_KEY,
    says: ({ name }) => `“${name}” is being exported.`,
  });
  const close = () => setAsked(null);
  return (
    <>
      <Paged pages={pages}>
        {(companies) => (
          <Table
            caption="Companies of the installation"
            columns={['Name', 'State', 'Limits', 'Since', '']}
            rows={companies.map((company) => ({
              key: company.id,
              cells: [
                company.name,
                stateOf(company),
                limitsText(company),
                <Time key="since" at={company.created_at} />,
                <Actions
                  key="do"
                  company={company}
                  isOwn={company.id === me.company_id}
                  ask={(what) => setAsked({ what, company })}
                  resume={() => set.mutate({ ...company, active: true })}
                  write={() => write.mutate(company)}
                />,
              ],
            }))}
          />
        )}
      </Paged>
      <div className={classes.row}>
        <Button variant="default" onClick={() => setMaking('new')}>
          New company …
        </Button>
        <Button variant="default" onClick={() => setMaking('import')}>
          Import a company …
        </Button>
      </div>
      {making === 'new' && (
        <NameDialog
          title="New company"
          action="Make the company"
          stales={COMPANIES_KEY}
          save={(name) => answerOf(api.POST('/api/v1/companies', { body: { name } }))}
          onClose={() => setMaking(null)}
        />
      )}
      {making === 'import' && <ImportDialog onClose={() => setMaking(null)} />}
      {asked?.what === 'limits' && <LimitsDialog company={asked.company} onClose={close} />}
      {asked?.what === 'erase' && <EraseDialog company={asked.company} onClose={close} />}
      {asked?.what === 'usage' && (
        <Dialog title={`What “${asked.company.name}” used`} size="xl" onClose={close}>
          <UsagePanel companyId={asked.company.id} />
        </Dialog>
      )}
      {asked?.what === 'stop' && (
        <Confirm
          title={`Stop “${asked.company.name}”?`}
          action="Stop it"
          onConfirm={() => set.mutate({ ...asked.company, active: false })}
          onClose={close}
        >
          Nobody of it signs in, its keys and triggers are refused, its schedules and webhooks rest, and its waiting
          plays wait until it is resumed. Plays that run go on to their next wait.
        </Confirm>
      )}
    </>
  );
}

interface ActionsProps {
  readonly company: Company;
  /** The one that the operator acts in: it is neither stopped nor erased from inside. */
  readonly isOwn: boolean;
  readonly ask: (what: Asked) => void;
  readonly resume: () => void;
  readonly write: () => void;
}

function Actions({ company, isOwn, ask, resume, write }: ActionsProps) {
  if (company.erasing) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" aria-label={`What to do with ${company.name}`}>
          Do …
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => ask('usage')}>Usage</Menu.Item>
        <Menu.Item onClick={() => ask('limits')}>Limits …</Menu.Item>
        <Menu.Item onClick={write}>Export</Menu.Item>
        {!company.active && <Menu.Item onClick={resume}>Resume</Menu.Item>}
        {company.active && !isOwn && <Menu.Item onClick={() => ask('stop')}>Stop …</Menu.Item>}
        {!isOwn && <Menu.Item onClick={() => ask('erase')}>Erase …</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}

function stateOf({ active, erasing }: Company): string {
  if (erasing) return 'being erased';
  return active ? 'active' : 'stopped';
}
