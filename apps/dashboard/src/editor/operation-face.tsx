import { Button, NativeSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { firstPages } from '../api/first-pages';
import { ErrorNotice } from '../ui/error-notice';
import type { Face } from './faces';
import { useForm } from './form-context';
import type { Args } from './form-model';
import { SearchList } from './search-list';
import classes from './form.module.css';

const PAUSE_MS = 200;
const FOUND = 50;

interface OperationFaceProps {
  readonly args: Args;
  /** Undefined until it is read, and where it is not there. */
  readonly face: Face | undefined;
  readonly onChange: (args: Args, tag: string) => void;
}

/** Which operation of which API the layer calls, and what its document says of it; or the choice of one. */
export function OperationFace({ args, face, onChange }: OperationFaceProps) {
  const { isReadOnly } = useForm();
  const { api: apiName, operation } = args;
  const isChosen = typeof operation === 'string' && operation !== '';
  const [isChoosing, setChoosing] = useState(false);
  if (!isReadOnly && (!isChosen || isChoosing)) {
    return (
      <ChooseOperation
        api={typeof apiName === 'string' ? apiName : ''}
        onChoose={(key, name) => {
          setChoosing(false);
          const { digest: _digest, input: _input, server: _server, ...others } = args;
          onChange({ ...others, api: key, operation: name }, '');
        }}
      />
    );
  }
  return (
    <div className={classes.face} data-path="args.operation">
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

interface ChooseOperationProps {
  readonly api: string;
  readonly onChoose: (api: string, operation: string) => void;
}

function ChooseOperation({ api: named, onChoose }: ChooseOperationProps) {
  const [chosen, setChosen] = useState(named);
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), PAUSE_MS);
  const apis = useQuery({
    queryKey: ['apis', 'names'],
    queryFn: () => firstPages((query) => answerOf(api.GET('/api/v1/apis', { params: { query } }))),
  });
  const nameOf = ({ key, id }: { readonly key: string | null; readonly id: string }): string => key ?? id;
  const all = apis.data ?? [];
  const at = all.find((each) => nameOf(each) === chosen || each.id === chosen) ?? all[0];
  const found = useQuery({
    queryKey: ['apis', at?.id, 'operations', settled],
    enabled: at !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const query = { size: FOUND, ...(settled !== '' && { q: settled }) };
      const path = { id: at?.id ?? '' };
      return answerOf(api.GET('/api/v1/apis/{id}/operations', { params: { path, query } }));
    },
  });
  if (apis.isError) return <ErrorNotice error={apis.error} />;
  if (apis.isSuccess && !at) {
    return (
      <p className="soft">
        No API has been imported yet: <Link to="/apis">give the OpenAPI document of a service</Link> first.
      </p>
    );
  }
  const items = found.data?.items ?? [];
  const total = found.data?.total ?? 0;
  return (
    <div className={classes.face}>
      <NativeSelect
        label="API"
        data={all.map((each) => ({ value: nameOf(each), label: each.name }))}
        value={at ? nameOf(at) : ''}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <SearchList
        label="operations"
        placeholder="Name, path, method or words of its title"
        text={text}
        onText={setText}
        items={items.map(({ name, title, method, path, deprecated }) => ({
          id: name,
          title: title || name,
          code: `${method} ${path}`,
          description: deprecated ? `${name}, should not be used any more` : name,
        }))}
        onChoose={(i) => at && items[i] && onChoose(nameOf(at), items[i].name)}
        empty={found.isPending ? 'Looking …' : 'No operation has this text in its name, title, method or path.'}
      />
      {total > items.length && (
        <p className="soft">
          {items.length} of {total} are shown: search for the others.
        </p>
      )}
    </div>
  );
}
