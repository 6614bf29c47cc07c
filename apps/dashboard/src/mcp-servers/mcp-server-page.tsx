import { Button, Skeleton } from '@mantine/core';
import { specialist } from '@weft/access';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { HistoryLink } from '../admin/history-link';
import { answerOf, api as client } from '../api/client';
import { ApiState } from '../apis/api-state';
import { Description } from '../apis/description';
import { ImportReport } from '../apis/report';
import { may, useMe } from '../session/me';
import { Confirm } from '../ui/confirm';
import { CopyText } from '../ui/copy-text';
import { ErrorNotice } from '../ui/error-notice';
import { Facts } from '../ui/facts';
import { Page } from '../ui/page';
import { Person } from '../ui/person';
import { showError } from '../ui/show-error';
import { Time } from '../ui/time';
import { useCommand } from '../ui/use-command';
import { SERVERS_KEY, useServer, type McpServer, type McpServerWithReport } from './queries';
import { Tools } from './tools';
import classes from '../apis/apis.module.css';

const Differences = lazy(async () => ({ default: (await import('../apis/differences')).Differences }));
const ServerDialog = lazy(async () => ({ default: (await import('./server-dialog')).ServerDialog }));
const RefreshDialog = lazy(async () => ({ default: (await import('./refresh-dialog')).RefreshDialog }));

export function McpServerPage() {
  const { serverId } = useParams({ from: '/shell/mcp-servers/$serverId' });
  const { data, error, refetch } = useServer(serverId);
  if (data) return <OneServer key={data.id} server={data} />;
  return (
    <Page title="MCP server">
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />}
    </Page>
  );
}

function OneServer({ server }: { readonly server: McpServerWithReport }) {
  const mayChange = may(useMe(), specialist('integration_manager'));
  const { id, updatedAt, state, importedAt, report } = server;
  return (
    <Page
      title={server.name}
      aside={
        <>
          <ApiState state={state} />
          {mayChange && <Commands server={server} />}
        </>
      }
    >
      <Standing server={server} />
      <section className={`panel ${classes.about}`} aria-label="About the MCP server">
        <Description text={server.description ?? ''} />
        <About server={server} />
      </section>
      {state !== 'importing' && importedAt !== null && (
        <Suspense>
          <Differences api={{ id, updatedAt, isServer: true }} />
        </Suspense>
      )}
      {report !== null && report.skippedCount + report.warningsCount > 0 && <ImportReport report={report} />}
      {importedAt !== null && <Tools server={server} />}
    </Page>
  );
}

type Open = 'refresh' | 'edit' | 'delete';

function Commands({ server }: { readonly server: McpServer }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const remove = useCommand({
    send: async () => {
      await answerOf(client.DELETE('/api/v1/mcp-servers/{id}', { params: { path: { id: server.id } } }));
      await navigate({ to: '/apis' });
    },
    stales: SERVERS_KEY,
    says: () => `“${server.name}” is deleted.`,
  });
  const signIn = useMutation({
    mutationFn: async () => {
      const params = { path: { id: server.id } };
      const { integrationId } = await answerOf(client.POST('/api/v1/mcp-servers/{id}/authorize', { params, body: {} }));
      const body = { integration_id: integrationId, returnTo: `/mcp-servers/${server.id}` };
      return answerOf(client.POST('/api/v1/integrations/connect', { body }));
    },
    onError: showError,
    onSuccess: ({ authorize_url }) => window.location.assign(authorize_url),
  });
  return (
    <>
      <Button onClick={() => setOpen('refresh')}>Refresh …</Button>
      {needsSignIn(server) && (
        <Button variant="default" loading={signIn.isPending} onClick={() => signIn.mutate()}>
          Sign in …
        </Button>
      )}
      <Button variant="default" onClick={() => setOpen('edit')}>
        Edit …
      </Button>
      <Button variant="default" color="red" loading={remove.isPending} onClick={() => setOpen('delete')}>
        Delete …
      </Button>
      <Suspense>
        {open === 'refresh' && <RefreshDialog server={server} onClose={close} />}
        {open === 'edit' && <ServerDialog server={server} onClose={close} />}
      </Suspense>
      {open === 'delete' && (
        <Confirm title={`Delete “${server.name}”?`} action="Delete" onConfirm={() => remove.mutate()} onClose={close}>
          Its tools are gone for good: layers that call them fail from now on, also those of plays that run.
        </Confirm>
      )}
    </>
  );
}

/** It has refused the credential that it was shown, or to answer without one. */
function needsSignIn({ state, fault }: McpServer): boolean {
  return state === 'failed' && (fault?.includes('integration_unusable') ?? false);
}

/** What the last refresh is at, or why it has failed. */
function Standing({ server: { state, fault, importedAt } }: { readonly server: McpServer }) {
  return (
    <>
      <p role="status" className={state === 'importing' ? undefined : 'sr-only'}>
        {state === 'importing' ? 'The tools are being read, mostly within seconds.' : ''}
      </p>
      {state === 'failed' && (
        <div role="alert" className={classes.fault}>
          <strong>The tools could not be read.</strong> {fault}
          {importedAt !== null && ' Those that were read before are still there.'}
        </div>
      )}
    </>
  );
}

function About({ server }: { readonly server: McpServer }) {
  const { id, key, url, title, version, integrationId, protocol, importedAt, createdBy, createdAt } = server;
  return (
    <Facts
      facts={[
        [
          'Layers name it',
          <span key="name">
            <CopyText text={key ?? id} />
          </span>,
        ],
        ['Address', url],
        ...(title === null ? [] : ([['Server', `${title} ${version ?? ''}`]] as const)),
        ...(protocol === null ? [] : ([['Protocol', protocol]] as const)),
        ...(integrationId === null ? [] : ([['Called with', <code key="link">{integrationId}</code>]] as const)),
        ['Tools read', <Time key="at" at={importedAt} fallback="not yet" />],
        [
          'Made by',
          <span key="by">
            <Person id={createdBy} /> <Time at={createdAt} /> <HistoryLink type="mcp_server" id={id} />
          </span>,
        ],
      ]}
    />
  );
}
