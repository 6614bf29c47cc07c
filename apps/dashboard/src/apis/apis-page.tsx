import { Button } from '@mantine/core';
import { specialist } from '@weft/access';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { may, useMe } from '../session/me';
import { EmptyState } from '../ui/empty-state';
import { Page } from '../ui/page';
import { Paged } from '../ui/paged';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { firstCells } from './cells';
import { useApis, type Api } from './queries';

const McpServers = lazy(async () => ({ default: (await import('../mcp-servers/mcp-servers')).McpServers }));
const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog')).ImportDialog }));

/** Services whose OpenAPI documents the company has given, and MCP servers. */
export function ApisPage() {
  const pages = useApis();
  const [isImporting, setImporting] = useState(false);
  const mayImport = may(useMe(), specialist('integration_manager'));
  const start = mayImport && <Button onClick={() => setImporting(true)}>Import an API …</Button>;
  return (
    <Page title="APIs" help="docs/apis.md" aside={pages.items && pages.items.length > 0 && start}>
      <Paged pages={pages}>
        {(apis) =>
          apis.length === 0 ? (
            <EmptyState title="No API yet">
              <p>
                Give the OpenAPI document of a service: layers then call its operations, with a form for what each takes
                and a type for what it answers.
              </p>
              {start || <p>Integration managers and admins import APIs.</p>}
            </EmptyState>
          ) : (
            <Apis apis={apis} />
          )
        }
      </Paged>
      <Suspense>
        <McpServers />
      </Suspense>
      <Suspense>{isImporting && <ImportDialog onClose={() => setImporting(false)} />}</Suspense>
    </Page>
  );
}

function Apis({ apis }: { readonly apis: readonly Api[] }) {
  return (
    <Table
      caption="APIs"
      hideCaption
      isFlush
      columns={['API', 'State', 'Operations', 'Document', 'Imported']}
      wide={[3]}
      rows={apis.map((each) => ({
        key: each.id,
        cells: [
          ...firstCells(
            each,
            <Link dir="auto" to="/apis/$apiId" params={{ apiId: each.id }}>
              {each.name}
            </Link>,
          ),
          <span key="count" className="num">
            {each.operations?.toLocaleString() ?? '–'}
          </span>,
          each.title === null ? '–' : `${each.title} ${each.version ?? ''}`,
          <Time key="at" at={each.importedAt} />,
        ],
      }))}
    />
  );
}
