import { Button, NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { firstPages } from '../api/first-pages';
import { ErrorNotice } from '../ui/error-notice';
import { FACE_ARGS, MCP_TOOL, type Face } from './faces';
import { useForm } from './form-context';
import type { Args } from './form-model';
import { SearchList } from './search-list';
import classes from './form.module.css';

const PAUSE_MS = 200;
const FOUND = 50;

interface OperationFaceProps {
  readonly appId: string;
  readonly args: Args;
  /** Undefined until it is read, and where it is not there. */
  readonly face: Face | undefined;
  readonly onChange: (args: Args, tag: string) => void;
}

/** Which operation of which API, or tool of which server, the layer calls, and what is said of it; or the choice of one. */
export function OperationFace({ appId, args, face, onChange }: OperationFaceProps) {
  const { isReadOnly } = useForm();
  const [whose, what] = FACE_ARGS[appId] ?? ['', ''];
  const { [whose]: apiName, [what]: operation } = args;
  const isChosen = typeof operation === 'string' && operation !== '';
  const [isChoosing, setChoosing] = useState(false);
  if (!isReadOnly && (!isChosen || isChoosing)) {
    return (
      <ChooseOperation
        api={typeof apiName === 'string' ? apiName : ''}
        isTool={appId === MCP_TOOL}
        onChoose={(key, name) => {
          setChoosing(false);
          const { digest: _digest, input: _input, server: _server, ...others } = args;
          onChange({ ...others, [whose]: key, [what]: name }, '');
        }}
      />
    );
  }
  return (
    <div className={classes.face} data-path={`args.${what}`}>
      <p>
        <strong>{face?.title ?? String(operation)}</strong>{' '}
        <code className="soft">
          {String(apiName)} / {String(operation)}
        </code>{' '}
        {!isReadOnly && (
          <Button variant="subtle" size="compact-xs" onClick={() => setChoosing(true)}>
            Choose another one
          </Button>
        )}
      </p>
      {face?.description && <p className={classes.faceSays}>{face.description}</p>}
      {face?.warnings.map((warning) => (
        <p key={warning} className={classes.doubt}>
          {warning}
        </p>
      ))}
      {face && face.linkKinds.length > 0 && args.auth === undefined && (
        <p className="soft">
          It asks for a credential: add auth, with a link of the kind {face.linkKinds.join(' or ')}.
        </p>
      )}
    </div>
  );
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

interface Named {
  readonly id: string;
  readonly key: string | null;
  readonly name: string;
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
  readonly onChoose: (api: string, operation: string) => void;
}

function ChooseOperation({ api: named, isTool, onChoose }: ChooseOperationProps) {
  const words = WORDS[isTool ? 'tool' : 'operation'];
  const [chosen, setChosen] = useState(named);
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), PAUSE_MS);
  const apis = useQuery({
    queryKey: [isTool ? 'mcp-servers' : 'apis', 'names'],
    queryFn: () => allNames(isTool),
  });
  const nameOf = ({ key, id }: { readonly key: string | null; readonly id: string }): string => key ?? id;
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
        onChoose={(i) => at && items[i] && onChoose(nameOf(at), items[i].id)}
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
