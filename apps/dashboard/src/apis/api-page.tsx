import { Button, Skeleton } from '@mantine/core';
import { specialist } from '@weft/access';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { HistoryLink } from '../admin/history-link';
import { answerOf, api as client } from '../api/client';
import { may, useMe } from '../session/me';
import { CopyText } from '../ui/copy-text';
import { ErrorNotice } from '../ui/error-notice';
import { Facts } from '../ui/facts';
import { Page } from '../ui/page';
import { Person } from '../ui/person';
import { Time } from '../ui/time';
import { ApiState } from './api-state';
import { Commands, Standing } from './commands';
import { Description } from './description';
import { Operations } from './operations';
import { APIS_KEY, useApi, type Api, type ApiWithReport } from './queries';
import { LinkName } from './link-name';
import { ProposedName } from './proposed-name';
import { ImportReport } from './report';
import classes from './apis.module.css';

const ConnectDialog = lazy(async () => ({ default: (await import('./connect-dialog')).ConnectDialog }));
const Differences = lazy(async () => ({ default: (await import('./differences')).Differences }));
const EditDialog = lazy(async () => ({ default: (await import('./edit-dialog')).EditDialog }));
const RefreshDialog = lazy(async () => ({ default: (await import('./refresh-dialog')).RefreshDialog }));

export function ApiPage() {
  const { apiId } = useParams({ from: '/shell/apis/$apiId' });
  const { data, error, refetch } = useApi(apiId);
  if (data) return <OneApi key={data.id} api={data} />;
  return (
    <Page title="API" help="docs/dashboard.md#an-api">
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />}
    </Page>
  );
}

function OneApi({ api }: { readonly api: ApiWithReport }) {
  const mayChange = may(useMe(), specialist('integration_manager'));
  return (
    <Page
      title={api.name}
      help="docs/dashboard.md#an-api"
      aside={
        <>
          <ApiState state={api.state} />
          {mayChange && <ApiCommands api={api} />}
        </>
      }
    >
      <Standing
        {...api}
        importing={`The document is being imported, mostly within seconds.${api.importedAt === null ? '' : ' What was imported before can be used meanwhile.'}`}
        failed="The import has failed."
        kept="What was imported before is still there."
      />
      <section className={`panel ${classes.about}`} aria-label="About the API">
        {mayChange && <OwnTitle api={api} />}
        <Description text={api.description ?? ''} />
        <About api={api} mayConnect={mayChange} />
      </section>
      {api.state !== 'importing' && api.importedAt !== null && (
        <Suspense>
          <Differences api={api} />
        </Suspense>
      )}
      {api.report !== null && <ImportReport report={api.report} />}
      {api.importedAt !== null && <Operations api={api} />}
    </Page>
  );
}

function OwnTitle({ api }: { readonly api: ApiWithReport }) {
  const { id, name, title, source } = api;
  return (
    <ProposedName
      {...{ name, title }}
      url={'url' in source ? source.url : null}
      says="The document calls itself"
      stales={APIS_KEY}
      rename={(next) => answerOf(client.PATCH('/api/v1/apis/{id}', { params: { path: { id } }, body: { name: next } }))}
    />
  );
}

function ApiCommands({ api }: { readonly api: ApiWithReport }) {
  const { id, name } = api;
  return (
    <Commands
      name={name}
      stales={APIS_KEY}
      remove={() => answerOf(client.DELETE('/api/v1/apis/{id}', { params: { path: { id } } }))}
      lost="Its operations are gone for good: layers that call them fail from now on, also those of plays that run."
      refreshDialog={(close) => <RefreshDialog api={api} onClose={close} />}
      editDialog={(close) => <EditDialog api={api} onClose={close} />}
    />
  );
}

interface AboutProps {
  readonly api: ApiWithReport;
  /** The caller may read and make links. */
  readonly mayConnect: boolean;
}

function About({ api, mayConnect }: AboutProps) {
  const { key, title, version, source, importedAt } = api;
  return (
    <Facts
      facts={[
        [
          'Layers name it',
          <span key="name">
            <CopyText text={key ?? api.id} />
          </span>,
        ],
        ...(title === null ? [] : ([['Document', `${title} ${version ?? ''}`]] as const)),
        ['From', 'url' in source ? source.url : 'an upload; a refresh needs the document again'],
        ['Calls go to', <Servers key="servers" api={api} />],
        ...schemesOf(api),
        ...(importedAt === null ? [] : ([['Integration', <OwnLink key="link" {...{ api, mayConnect }} />]] as const)),
        ['Imported', <Time key="at" at={importedAt} fallback="not yet" />],
        [
          'Made by',
          <span key="by">
            <Person id={api.createdBy} /> <Time at={api.createdAt} /> <HistoryLink type="api" id={api.id} />
          </span>,
        ],
      ]}
    />
  );
}

/** The link with which new layers begin. */
function OwnLink({ api, mayConnect }: AboutProps) {
  const [isConnecting, setConnecting] = useState(false);
  const { integrationId, security } = api;
  const [first] = security;
  return (
    <span className={classes.line}>
      {integrationId !== null && (mayConnect ? <LinkName id={integrationId} /> : <code>{integrationId}</code>)}
      {integrationId === null && (
        <span className="soft">
          {first ? 'none yet: its operations ask for credentials' : 'none; the document does not ask for one'}
        </span>
      )}
      {mayConnect && (
        <Button
          size="compact-sm"
          variant={integrationId === null && first ? 'filled' : 'default'}
          onClick={() => setConnecting(true)}
        >
          {integrationId === null ? 'Connect …' : 'Connect anew …'}
        </Button>
      )}
      <Suspense>
        {isConnecting && (
          <ConnectDialog
            api={api}
            suggestions={security}
            returnTo={`/apis/${api.id}`}
            onClose={() => setConnecting(false)}
          />
        )}
      </Suspense>
    </span>
  );
}

const MOST_SERVERS = 5;

function Servers({ api: { baseUrl, servers } }: { readonly api: Api }) {
  if (baseUrl !== null) return <>{baseUrl}</>;
  const addresses = servers.flatMap(({ url }) => (typeof url === 'string' ? [url] : []));
  if (addresses.length === 0) return <span className="soft">what each operation says</span>;
  const more = addresses.length - MOST_SERVERS;
  return <>{[...addresses.slice(0, MOST_SERVERS), ...(more > 0 ? [`${more} more`] : [])].join(', ')}</>;
}

/** How callers sign in, by the names of the document. */
function schemesOf({ securitySchemes }: Api): readonly (readonly [string, string])[] {
  const words = Object.entries(securitySchemes).map(([name, scheme]) => {
    const { type, scheme: http } = scheme as { readonly type?: unknown; readonly scheme?: unknown };
    const kind = [type, http].filter((each) => typeof each === 'string').join(' ');
    return kind === '' ? name : `${name} (${kind})`;
  });
  return words.length === 0 ? [] : [['Signs in with', words.join(', ')]];
}
