import { atLeast } from '@weft/access';
import type { components } from '@weft/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CallableRow, NewFlowWith } from '../apis/callable';
import { CallableDetails } from '../apis/callable-details';
import { Mark } from '../flows/flow-marks';
import { may, useMe } from '../session/me';
import { Paged } from '../ui/paged';
import { SearchField } from '../ui/search-field';
import { toolQuery, useTools, type McpServer } from './queries';
import classes from '../apis/apis.module.css';

type Tool = components['schemas']['McpToolHead'];

/** What layers can call, by name. */
export function Tools({ server }: { readonly server: McpServer }) {
  const [q, setQ] = useState('');
  const pages = useTools(server, q);
  const mayMake = may(useMe(), atLeast('editor'));
  return (
    <section className={classes.section} aria-label="Tools">
      <div className={classes.line}>
        <h2>Tools</h2>
        <SearchField label="Name or title" value={q} onFind={setQ} />
        <span className="soft num">{pages.total !== '' && `${pages.total} found`}</span>
      </div>
      <Paged pages={pages}>
        {(tools) =>
          tools.length === 0 ? (
            <p className="soft">
              {q === ''
                ? 'The server offers no tool that could be taken.'
                : 'No tool has this text in its name or title.'}
            </p>
          ) : (
            <ul className={`panel ${classes.operations}`}>
              {tools.map((each) => (
                <OneTool key={each.name} tool={each} {...{ server, mayMake }} />
              ))}
            </ul>
          )
        }
      </Paged>
    </section>
  );
}

interface OneToolProps {
  readonly server: McpServer;
  readonly tool: Tool;
  readonly mayMake: boolean;
}

function OneTool({ server, tool: { name, title, description, tags }, mayMake }: OneToolProps) {
  const queries = useQueryClient();
  const layer = async () => {
    const [{ argsSchema }, { firstInput }] = await Promise.all([
      queries.query(toolQuery(server, name)),
      import('../apis/first-input'),
    ]);
    const input = firstInput(argsSchema);
    const args = { server: server.key ?? server.id, tool: name, ...(input && { input }) };
    return { ref: 'tool', appId: 'mcp-tool', args };
  };
  const marks = tags.map((tag) => (
    <Mark key={tag} kind={tag === 'destructive' ? 'bad' : 'plain'}>
      {tag}
    </Mark>
  ));
  return (
    <CallableRow
      title={title || name}
      code={name}
      marks={marks}
      action={mayMake && <NewFlowWith {...{ name, title, layer }} />}
    >
      <ToolDetails {...{ server, name, description }} />
    </CallableRow>
  );
}

function ToolDetails({ server, name, description }: Pick<Tool, 'name' | 'description'> & Pick<OneToolProps, 'server'>) {
  return <CallableDetails {...{ name, description }} found={useQuery(toolQuery(server, name))} />;
}
