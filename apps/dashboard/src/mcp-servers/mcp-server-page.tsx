import { Button, Skeleton } from '@mantine/core';
import { specialist } from '@weft/access';
import { useMutation } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { HistoryLink } from '../admin/history-link';
import { answerOf, api as client } from '../api/client';
import { ApiState } from '../apis/api-state';
import { Commands, Standing } from '../apis/commands';
import { Description } from '../apis/description';
import { LinkName } from '../apis/link-name';
import { ProposedName } from '../apis/proposed-name';
import { ImportReport } from '../apis/report';
import { may, useMe } from '../session/me';
import { CopyText } from '../ui/copy-text';
import { ErrorNotice } from '../ui/error-notice';
import { Facts } from '../ui/facts';
import { Page } from '../ui/page';
import { Person } from '../ui/person';
import { showError } from '../ui/show-error';
import { Time } from '../ui/time';
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
    <Page title="MCP server" help="docs/dashboard.md#an-mcp-server">
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />}
    </Page>
  );
}

function OneServer({ server }: { readonly server: McpServerWithReport }) {
  const mayChange = may(useMe(), specialist('integration_manager'));
  const { id, updatedAt, state, importedAt, report } = server;
  const asksForSignIn = needsSignIn(server);
  return (
    <Page
      title={server.name}
      help="docs/dashboard.md#an-mcp-server"
      aside={
        <>
          <ApiState state={state} />
          {mayChange && <ServerCommands server={server} />}
        </>
      }
    >
      <Standing
        {...server}
        importing="The tools are being read, mostly within seconds."
        failed={asksForSignIn ? 'The server asks for a sign-in.' : 'The tools could not be read.'}
        kept="Those that were read before are still there."
      >
        {asksForSignIn && mayChange && <SignIn id={id} />}
      </Standing>
      <section className={`panel ${classes.about}`} aria-label="About the MCP server">
        {mayChange && <OwnTitle server={server} />}
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

function OwnTitle({ server }: { readonly server: McpServer }) {
  const { id, name, title, url } = server;
  return (
    <ProposedName
      {...{ name, title, url }}
      says="The server calls itself"
      stales={SERVERS_KEY}
      rename={(next) =>
        answerOf(client.PATCH('/api/v1/mcp-servers/{id}', { params: { path: { id } }, body: { name: next } }))
      }
    />
  );
}

function ServerCommands({ server }: { readonly server: McpServer }) {
  const { id, name } = server;
  return (
    <Commands
      name={name}
      stales={SERVERS_KEY}
      remove={() => answerOf(client.DELETE('/api/v1/mcp-servers/{id}', { params: { path: { id } } }))}
      lost="Its tools are gone for good: layers that call them fail from now on, also those of plays that run."
      refreshDialog={(close) => <RefreshDialog server={server} onClose={close} />}
      editDialog={(close) => <ServerDialog server={server} onClose={close} />}
    />
  );
}

function SignIn({ id }: Pick<McpServer, 'id'>) {
  const signIn = useMutation({
    mutationFn: async () => {
      const params = { path: { id } };
      const { integrationId } = await answerOf(client.POST('/api/v1/mcp-servers/{id}/authorize', { params, body: {} }));
      const body = { integration_id: integrationId, returnTo: `/mcp-servers/${id}` };
      return answerOf(client.POST('/api/v1/integrations/connect', { body }));
    },
    onError: showError,
    onSuccess: ({ authorize_url }) => window.location.assign(authorize_url),
  });
  return (
    <p>
      <Button loading={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in …
      </Button>
    </p>
  );
}

/** It has refused the credential that it was shown, or to answer without one. */
function needsSignIn({ state, fault }: McpServer): boolean {
  return state === 'failed' && (fault?.includes('integration_unusable') ?? false);
}

function About({ server }: { readonly server: McpServer }) {
  const mayConnect = may(useMe(), specialist('integration_manager'));
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
        ...(integrationId === null
          ? []
          : ([
              [
                'Called with',
                mayConnect ? <LinkName key="link" id={integrationId} /> : <code key="link">{integrationId}</code>,
              ],
            ] as const)),
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
