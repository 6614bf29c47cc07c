import { Button, Checkbox } from '@mantine/core';
import { specialist } from '@weft/access';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { answerOf, api } from '../api/client';
import { apiQuery, authOf, operationQuery } from '../apis/queries';
import { may, useMe } from '../session/me';
import { ErrorNotice } from '../ui/error-notice';
import { showError } from '../ui/show-error';
import { ChooseOperation, nameOf, useShownName, type Named } from './choose-operation';
import { FACE_ARGS, MCP_TOOL, type Face } from './faces';
import { useForm } from './form-context';
import { fieldsOfSchema, firstArgs, type Args } from './form-model';
import { objectOf } from './schema-reading';
import classes from './form.module.css';

const ConnectDialog = lazy(async () => ({ default: (await import('../apis/connect-dialog')).ConnectDialog }));

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
  const shownName = useShownName(isTool, typeof apiName === 'string' ? apiName : '');
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
        <code className="soft" title={String(apiName)}>
          {shownName} / {String(operation)}
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
