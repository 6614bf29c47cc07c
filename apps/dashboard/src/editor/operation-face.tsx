import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { specialist } from '@weft/access';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { answerOf, api } from '../api/client';
import { firstPages } from '../api/first-pages';
import { apiQuery, authOf, operationQuery } from '../apis/queries';
import { may, useMe } from '../session/me';
import { ErrorNotice } from '../ui/error-notice';
import { showError } from '../ui/show-error';
import { FACE_ARGS, MCP_TOOL, type Face } from './faces';
import { useForm } from './form-context';
import { fieldsOfSchema, firstArgs, type Args } from './form-model';
import { objectOf } from './schema-reading';
import { SearchList } from './search-list';
import classes from './form.module.css';

const ConnectDialog = lazy(async () => ({ default: (await import('../apis/connect-dialog')).ConnectDialog }));

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
  const queries = useQueryClient();
  const [whose, what] = FACE_ARGS[appId] ?? ['', ''];
  const { [whose]: apiName, [what]: operation } = args;
  const isTool = appId === MCP_TOOL;
  const isChosen = typeof operation === 'string' && operation !== '';
  const [isChoosing, setChoosing] = useState(false);
  const choose = useMutation({
    mutationFn: async ({ named, name }: { readonly named: Named; readonly name: string }) => {
      const key = nameOf(named);
      if (isTool) {
        const params = { path: { id: named.id, name } };
        const { argsSchema } = await answerOf(api.GET('/api/v1/mcp-servers/{id}/tools/{name}', { params }));
        return { key, name, argsSchema, own: {} };
      }
      const whole = await queries.query(apiQuery(named.id));
      const { argsSchema } = await queries.query(operationQuery(whole, name));
      return { key, name, argsSchema, own: authOf(whole) };
    },
    onError: showError,
    onSuccess: ({ key, name, argsSchema, own }) => {
      setChoosing(false);
      // what is of the former one goes
      const { digest: _digest, input: _input, server: _server, paginate: _paginate, auth, ...others } = args;
      const input = firstArgs(fieldsOfSchema(argsSchema));
      const kept = auth !== undefined && apiName === key ? { auth } : own;
      const begun = { ...(Object.keys(input).length > 0 && { input }), ...kept };
      onChange({ ...others, [whose]: key, [what]: name, ...begun }, '');
    },
  });
  if (!isReadOnly && (!isChosen || isChoosing)) {
    return (
      <ChooseOperation
        api={typeof apiName === 'string' ? apiName : ''}
        isTool={isTool}
        onChoose={(named, name) => choose.mutate({ named, name })}
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
        <Credential
          api={String(apiName)}
          operation={String(operation)}
          kinds={face.linkKinds}
          onChoose={(integrationId) => onChange({ ...args, auth: { integrationId } }, '')}
        />
      )}
      {face?.paging && <Pages args={args} paging={face.paging} onChange={onChange} />}
    </div>
  );
}

interface CredentialProps {
  readonly api: string;
  readonly operation: string;
  readonly kinds: readonly string[];
  readonly onChoose: (integrationId: string) => void;
}

/** The operation asks for a credential, and the layer has none. */
function Credential({ api: name, operation, kinds, onChoose }: CredentialProps) {
  const { isReadOnly } = useForm();
  const { data: found } = useQuery({ ...apiQuery(name), enabled: !isReadOnly });
  const [isConnecting, setConnecting] = useState(false);
  const mayConnect = may(useMe(), specialist('integration_manager'));
  const asked = useQuery({
    ...operationQuery(found ?? NO_API, operation),
    enabled: isConnecting && found !== undefined,
  });
  const own = found?.mayUseLink === true ? found.integrationId : null;
  return (
    <div className="soft">
      It asks for a credential: add auth, with a link of the kind {kinds.join(' or ')}.{' '}
      {!isReadOnly && own !== null && (
        <Button size="compact-xs" onClick={() => onChoose(own)}>
          Use the integration of the API
        </Button>
      )}
      {!isReadOnly && own === null && mayConnect && found && (
        <Button size="compact-xs" loading={isConnecting && asked.isPending} onClick={() => setConnecting(true)}>
          Connect …
        </Button>
      )}
      {asked.isError && <ErrorNotice error={asked.error} />}
      <Suspense>
        {isConnecting && found && asked.data && (
          <ConnectDialog
            api={found}
            suggestions={asked.data.security}
            onConnected={onChoose}
            onClose={() => setConnecting(false)}
          />
        )}
      </Suspense>
    </div>
  );
}

const NO_API = { id: '', importedAt: null };

interface PagesProps {
  readonly args: Args;
  readonly paging: NonNullable<Face['paging']>;
  readonly onChange: OperationFaceProps['onChange'];
}

/** All pages of a list, as its document says how. */
function Pages({ args, paging, onChange }: PagesProps) {
  const { isReadOnly } = useForm();
  const { size, ...paginate } = paging as { readonly size?: PageSize };
  const { paginate: before, ...others } = args;
  const isOn = before !== undefined;
  const set = (next: boolean): void => {
    if (!next) return onChange(others, '');
    onChange({ ...others, ...(size && { input: withSize(args.input, size) }), paginate }, '');
  };
  const isOther =
    size !== undefined &&
    JSON.stringify(before) === JSON.stringify(paginate) &&
    sizeIn(args.input, size) !== size.value;
  return (
    <>
      <Checkbox
        label="Read all pages"
        description="The output has the answers of all of them: pages, and count."
        disabled={isReadOnly}
        checked={isOn}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
      {isOther && (
        <p className={classes.doubt}>
          The pages are asked for as pages of {size.value}: {size.param} in query has to be {size.value}, or paginate
          says something else.
        </p>
      )}
    </>
  );
}

interface PageSize {
  readonly param: string;
  readonly value: number;
}

function withSize(input: unknown, { param, value }: PageSize): Args {
  const given = objectOf(input);
  return { ...given, query: { ...objectOf(given.query), [param]: value } };
}

function sizeIn(input: unknown, { param }: PageSize): unknown {
  return objectOf(objectOf(input).query)[param];
}

function nameOf({ key, id }: Pick<Named, 'id' | 'key'>): string {
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
  readonly onChoose: (api: Named, operation: string) => void;
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
