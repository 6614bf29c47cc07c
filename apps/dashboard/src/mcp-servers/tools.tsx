import { Button, Skeleton } from '@mantine/core';
import { atLeast } from '@weft/access';
import type { components } from '@weft/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api as client } from '../api/client';
import { Description } from '../apis/description';
import { SchemaOutline } from '../apis/schema-outline';
import { Mark } from '../flows/flow-marks';
import { may, useMe } from '../session/me';
import { CopyText } from '../ui/copy-text';
import { ErrorNotice } from '../ui/error-notice';
import { Icon } from '../ui/icon';
import { Paged } from '../ui/paged';
import { SearchField } from '../ui/search-field';
import { showError } from '../ui/show-error';
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

function OneTool({ server, tool, mayMake }: OneToolProps) {
  const { name, title, tags } = tool;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <div className={classes.operation}>
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'down' : 'chevron'} size={13} />
          <span className={classes.what}>
            <span dir="auto">{title || name}</span>
            <code className="soft">{name}</code>
          </span>
          {tags.map((tag) => (
            <Mark key={tag} kind={tag === 'destructive' ? 'bad' : 'plain'}>
              {tag}
            </Mark>
          ))}
        </button>
        {mayMake && <NewFlowWith server={server} tool={tool} />}
      </div>
      {isOpen && <ToolDetails server={server} tool={tool} />}
    </li>
  );
}

function ToolDetails({ server, tool: { name, description } }: Omit<OneToolProps, 'mayMake'>) {
  const { data, error, refetch } = useQuery(toolQuery(server, name));
  return (
    <div className={classes.details}>
      <Description text={description} />
      <p className="soft">
        <CopyText text={name} />
      </p>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={80} />}
      {data && (
        <div className={classes.sides}>
          <SchemaOutline title="Takes" always="required" schema={data.argsSchema} />
          <SchemaOutline title="Answers" always="always" schema={data.outSchema} />
        </div>
      )}
    </div>
  );
}

/** Of flows and layers. */
const MOST_NAME = 200;

/** A flow that calls the tool with what it requires, from the arguments of the run, and does nothing else yet. */
function NewFlowWith({ server, tool: { name, title } }: Omit<OneToolProps, 'mayMake'>) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const words = (title || name).slice(0, MOST_NAME);
  const make = useMutation({
    mutationFn: async () => {
      const [{ argsSchema }, { firstInput }] = await Promise.all([
        queries.query(toolQuery(server, name)),
        import('../apis/first-input'),
      ]);
      const input = firstInput(argsSchema);
      const args = { server: server.key ?? server.id, tool: name, ...(input && { input }) };
      const layers = [{ ref: 'tool', name: words, appId: 'mcp-tool', args }];
      return answerOf(client.POST('/api/v1/flows', { body: { name: words, layers } }));
    },
    onError: showError,
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['flows'] });
      void navigate({ to: '/flows/$flowId', params: { flowId: id } });
    },
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`New flow with ${name}`}
      loading={make.isPending}
      onClick={() => make.mutate()}
    >
      New flow
    </Button>
  );
}
