import { Button } from '@mantine/core';
import { specialist } from '@weft/access';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { firstCells } from '../apis/cells';
import { may, useMe } from '../session/me';
import { Paged } from '../ui/paged';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { useServers, type McpServer } from './queries';
import classes from '../apis/apis.module.css';

const ServerDialog = lazy(async () => ({ default: (await import('./server-dialog')).ServerDialog }));

/** The MCP servers of the company, whose tools layers call. */
export function McpServers() {
  const pages = useServers();
  const [isAdding, setAdding] = useState(false);
  const mayAdd = may(useMe(), specialist('integration_manager'));
  return (
    <section className={classes.section} aria-label="MCP servers">
      <div className={classes.line}>
        <h2>MCP servers</h2>
        {mayAdd && (
          <Button variant="default" onClick={() => setAdding(true)}>
            Add an MCP server …
          </Button>
        )}
      </div>
      <Paged pages={pages}>
        {(servers) =>
          servers.length === 0 ? (
            <p className="soft">
              None yet. Give the address of a server of the Model Context Protocol: layers then call its tools.
            </p>
          ) : (
            <Servers servers={servers} />
          )
        }
      </Paged>
      <Suspense>{isAdding && <ServerDialog onClose={() => setAdding(false)} />}</Suspense>
    </section>
  );
}

function Servers({ servers }: { readonly servers: readonly McpServer[] }) {
  return (
    <Table
      caption="MCP servers"
      hideCaption
      isFlush
      columns={['Server', 'State', 'Address', 'Tools read']}
      wide={[2]}
      rows={servers.map((each) => ({
        key: each.id,
        cells: [
          ...firstCells(
            each,
            <Link dir="auto" to="/mcp-servers/$serverId" params={{ serverId: each.id }}>
              {each.name}
            </Link>,
          ),
          <span key="url" style={{ overflowWrap: 'anywhere' }}>
            {each.url}
          </span>,
          <Time key="at" at={each.importedAt} />,
        ],
      }))}
    />
  );
}
