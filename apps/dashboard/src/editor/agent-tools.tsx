import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery, authOf } from '../apis/queries';
import { flowNamesQuery } from '../flows/flow-names';
import { ErrorNotice } from '../ui/error-notice';
import { showError } from '../ui/show-error';
import { Icon } from '../ui/icon';
import { AgentTool } from './agent-tool';
import { ChooseOperation, nameOf, type Named } from './choose-operation';
import { useItemKeys } from './field-input';
import { FieldRow } from './field-row';
import { useForm, type FieldRowProps } from './form-context';
import type { Args } from './form-model';
import { faultAt } from './problems';
import { SearchList } from './search-list';
import { withoutItem } from './unreadable';
import classes from './form.module.css';

const KINDS = { flow: 'flows', operation: 'operations of APIs', mcp: 'tools of MCP servers' } as const;
type Kind = keyof typeof KINDS;

/** What the model may call: each tool with what is fixed of its arguments, and whether a person is asked. */
export function AgentTools(props: FieldRowProps) {
  const { field, value = [], path, onChange } = props;
  const { isReadOnly, layerKey, problems, changeUnreadable } = useForm();
  const [adding, setAdding] = useState<Kind | null>(null);
  const tools = toolsIn(value);
  const keys = useItemKeys(tools?.length ?? 0);
  if (!tools || field.kind !== 'list') return <FieldRow {...props} />;
  const add = (tool: Args): void => onChange([...tools, tool]);
  const remove = (at: number): void => {
    changeUnreadable((now) => withoutItem(now, `${layerKey} ${path}`, at));
    keys.remove(at);
    onChange(tools.filter((_, i) => i !== at));
  };
  const fault = faultAt(problems, path, false);
  return (
    <div className={classes.row} data-path={path} role="group" aria-label="Tools">
      <div className={classes.rowHead}>
        <span className={classes.name}>Tools</span>
        <span className={classes.says}>What the model may call, and nothing else.</span>
      </div>
      {tools.map((tool, i) => (
        <AgentTool
          key={keys.at(i)}
          item={field.item}
          tool={tool}
          path={`${path}.${i}`}
          onChange={(next) => onChange(tools.map((other, j) => (j === i ? next : other)))}
          onRemove={() => remove(i)}
        />
      ))}
      {tools.length === 0 && <p className="soft">It has no tools: the model only answers.</p>}
      {fault !== undefined && <p className={classes.fault}>{fault}</p>}
      {!isReadOnly && (
        <div className={classes.missing} role="group" aria-label="Add tools">
          {(Object.keys(KINDS) as Kind[]).map((kind) => (
            <button
              key={kind}
              type="button"
              className={classes.chip}
              aria-expanded={adding === kind}
              onClick={() => setAdding(adding === kind ? null : kind)}
            >
              <Icon name="plus" size={11} />
              {KINDS[kind]}
            </button>
          ))}
        </div>
      )}
      {adding && <Chooser key={adding} kind={adding} tools={tools} onAdd={add} onClose={() => setAdding(null)} />}
    </div>
  );
}

/** Null: they are something else than tools, which is shown as JSON. */
function toolsIn(value: unknown): readonly Args[] | null {
  const isTool = (each: unknown): boolean => typeof each === 'object' && each !== null && !Array.isArray(each);
  return Array.isArray(value) && value.every(isTool) ? (value as readonly Args[]) : null;
}

interface ChooserProps {
  readonly kind: Kind;
  readonly tools: readonly Args[];
  readonly onAdd: (tool: Args) => void;
  readonly onClose: () => void;
}

/** It stays open: an agent has several tools. */
function Chooser({ kind, tools, onAdd, onClose }: ChooserProps) {
  const queries = useQueryClient();
  const [added, setAdded] = useState('');
  /** @param own what belongs to the tool, and does not tell it from others */
  const add = (tool: Args, title: string, own: Args = {}): void => {
    const isThere = tools.some((each) => Object.entries(tool).every(([name, value]) => each[name] === value));
    setAdded(`${title} is a tool ${isThere ? 'already' : 'now'}.`);
    if (!isThere) onAdd({ ...tool, ...own });
  };
  const choose = useMutation({
    mutationFn: async ({ of, operation }: { readonly of: Named; readonly operation: string }) => ({
      tool: { kind, api: nameOf(of), operation },
      own: authOf(await queries.query(apiQuery(of.id))),
    }),
    onError: showError,
    onSuccess: ({ tool, own }) => add(tool, tool.operation, own),
  });
  return (
    <div className={classes.nested}>
      {kind === 'flow' && <ChooseFlow onChoose={(flowId, name) => add({ kind, flowId }, name)} />}
      {kind === 'operation' && (
        <ChooseOperation api="" isTool={false} onChoose={(of, operation) => choose.mutate({ of, operation })} />
      )}
      {kind === 'mcp' && (
        <ChooseOperation api="" isTool onChoose={(of, tool) => add({ kind, server: nameOf(of), tool }, tool)} />
      )}
      <p role="status" className="soft">
        {added}
      </p>
      <Button className={classes.add ?? ''} size="compact-xs" variant="default" onClick={onClose}>
        Done
      </Button>
    </div>
  );
}

const MOST_FLOWS = 50;

function ChooseFlow({ onChoose }: { readonly onChoose: (flowId: string, name: string) => void }) {
  const [text, setText] = useState('');
  const flows = useQuery(flowNamesQuery);
  if (flows.isError) return <ErrorNotice error={flows.error} />;
  const wanted = text.trim().toLowerCase();
  const found = [...(flows.data ?? [])].filter(([id, name]) => name.toLowerCase().includes(wanted) || id === wanted);
  const items = found.slice(0, MOST_FLOWS).map(([id, title]) => ({ id, title, code: '', description: '' }));
  return (
    <>
      <SearchList
        label="flows"
        placeholder="Words of its name"
        text={text}
        onText={setText}
        items={items}
        onChoose={(i) => items[i] && onChoose(items[i].id, items[i].title)}
        empty={flows.isPending ? 'Looking …' : 'No flow has this text in its name.'}
      />
      {found.length > items.length && (
        <p className="soft">
          {items.length} of {found.length} are shown: search for the others.
        </p>
      )}
    </>
  );
}
