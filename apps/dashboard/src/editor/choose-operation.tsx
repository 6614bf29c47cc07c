import { NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { firstPages } from '../api/first-pages';
import { ErrorNotice } from '../ui/error-notice';
import { SearchList } from './search-list';
import classes from './form.module.css';

const PAUSE_MS = 200;
const FOUND = 50;

/** How layers name an API or a server. */
export function nameOf({ key, id }: Pick<Named, 'id' | 'key'>): string {
  return key ?? id;
}

/** What is chosen from. */
interface Choice {
  readonly id: string;
  readonly title: string;
  readonly code: string;
  readonly description: string;
}

const WORDS = {
  operation: {
    whose: 'API',
    none: 'No API has been imported yet',
    give: 'give the OpenAPI document of a service',
    what: 'operations',
    placeholder: 'Name, path, method or words of its title',
    empty: 'No operation has this text in its name, title, method or path.',
  },
  tool: {
    whose: 'MCP server',
    none: 'The company has no MCP server yet',
    give: 'add one by its address',
    what: 'tools',
    placeholder: 'Name or words of its title',
    empty: 'No tool has this text in its name or title.',
  },
} as const;

export interface Named {
  readonly id: string;
  readonly key: string | null;
  readonly name: string;
}

const namesQuery = (isTool: boolean) =>
  queryOptions({ queryKey: [isTool ? 'mcp-servers' : 'apis', 'names'], queryFn: () => allNames(isTool) });

/** What people call an API or a server; how layers name it, where that is not known. */
export function useShownName(isTool: boolean, named: string): string {
  const { data } = useQuery({ ...namesQuery(isTool), enabled: named !== '' });
  return data?.find((each) => nameOf(each) === named || each.id === named)?.name ?? named;
}

function allNames(isTool: boolean): Promise<readonly Named[]> {
  return isTool
    ? firstPages((query) => answerOf(api.GET('/api/v1/mcp-servers', { params: { query } })))
    : firstPages((query) => answerOf(api.GET('/api/v1/apis', { params: { query } })));
}

async function choicesIn(isTool: boolean, id: string, q: string): Promise<{ items: readonly Choice[]; total: number }> {
  const params = { path: { id }, query: { size: FOUND, ...(q !== '' && { q }) } };
  if (isTool) {
    const { items, total } = await answerOf(api.GET('/api/v1/mcp-servers/{id}/tools', { params }));
    const choices = items.map(({ name, title, description, tags }) => ({
      ...{ id: name, title: title || name, code: tags.join(', '), description: description.slice(0, MOST_SAID) },
    }));
    return { items: choices, total };
  }
  const { items, total } = await answerOf(api.GET('/api/v1/apis/{id}/operations', { params }));
  const choices = items.map(({ name, title, method, path, deprecated }) => ({
    id: name,
    title: title || name,
    code: `${method} ${path}`,
    description: deprecated ? `${name}, should not be used any more` : name,
  }));
  return { items: choices, total };
}

const MOST_SAID = 120;

interface ChooseOperationProps {
  readonly api: string;
  readonly isTool: boolean;
  readonly onChoose: (api: Named, operation: string) => void;
}

/** One of the operations of the imported APIs, or of the tools of the MCP servers. */
export function ChooseOperation({ api: named, isTool, onChoose }: ChooseOperationProps) {
  const words = WORDS[isTool ? 'tool' : 'operation'];
  const [chosen, setChosen] = useState(named);
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), PAUSE_MS);
  const apis = useQuery(namesQuery(isTool));
  const all = apis.data ?? [];
  const at = all.find((each) => nameOf(each) === chosen || each.id === chosen) ?? all[0];
  const found = useQuery({
    queryKey: [isTool ? 'mcp-servers' : 'apis', at?.id, 'operations', settled],
    enabled: at !== undefined,
    placeholderData: keepPreviousData,
    queryFn: () => choicesIn(isTool, at?.id ?? '', settled),
  });
  if (apis.isError) return <ErrorNotice error={apis.error} />;
  if (apis.isSuccess && !at) {
    return (
      <p className="soft">
        {words.none}: <Link to="/apis">{words.give}</Link> first.
      </p>
    );
  }
  const items = found.data?.items ?? [];
  const total = found.data?.total ?? 0;
  return (
    <div className={classes.face}>
      <NativeSelect
        label={words.whose}
        data={all.map((each) => ({ value: nameOf(each), label: each.name }))}
        value={at ? nameOf(at) : ''}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <SearchList
        label={words.what}
        placeholder={words.placeholder}
        text={text}
        onText={setText}
        items={items}
        onChoose={(i) => at && items[i] && onChoose(at, items[i].id)}
        empty={found.isPending ? 'Looking …' : words.empty}
      />
      {total > items.length && (
        <p className="soft">
          {items.length} of {total} are shown: search for the others.
        </p>
      )}
    </div>
  );
}
