import { NativeSelect } from '@mantine/core';
import { atLeast } from '@weft/access';
import type { components } from '@weft/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Mark } from '../flows/flow-marks';
import { may, useMe } from '../session/me';
import { Paged } from '../ui/paged';
import { SearchField } from '../ui/search-field';
import { readApiSearch, type ApiSearch } from './api-search';
import { CallableRow, NewFlowWith } from './callable';
import { authOf, operationQuery, useOperations, type ApiWithReport } from './queries';
import classes from './apis.module.css';

const OperationDetails = lazy(async () => ({ default: (await import('./operation-details')).OperationDetails }));

type Operation = components['schemas']['ApiOperationHead'];

/** What layers can call, by name. */
export function Operations({ api }: { readonly api: ApiWithReport }) {
  const { q = '', tag = '' } = useSearch({ from: '/shell/apis/$apiId' });
  const navigate = useNavigate({ from: '/apis/$apiId' });
  const pages = useOperations(api, q, tag);
  const find = (next: ApiSearch): void => void navigate({ search: readApiSearch({ q, tag, ...next }) });
  const isKnown = tag === '' || api.tags.some(({ name }) => name === tag);
  const mayMake = may(useMe(), atLeast('editor'));
  return (
    <section className={classes.section} aria-label="Operations">
      <div className={classes.line}>
        <h2>Operations</h2>
        <SearchField key={q} label="Name, path, method or title" value={q} onFind={(text) => find({ q: text })} />
        {(api.tags.length > 0 || tag !== '') && (
          <NativeSelect
            aria-label="Tag"
            data={[
              { value: '', label: 'All tags' },
              ...api.tags.map(({ name, operations }) => ({ value: name, label: `${name} (${operations})` })),
              ...(isKnown ? [] : [tag]),
            ]}
            value={tag}
            onChange={({ currentTarget }) => find({ tag: currentTarget.value })}
          />
        )}
        <span className="soft num">{pages.total !== '' && `${pages.total} found`}</span>
      </div>
      <Paged pages={pages}>
        {(operations) =>
          operations.length === 0 ? (
            <p className="soft">
              {q === '' && tag === ''
                ? 'The document has no operation that could be taken: the report says why.'
                : `No operation has ${q === '' ? 'this tag' : `this text in its name, title, method or path${tag === '' ? '' : ', and this tag'}`}.`}
            </p>
          ) : (
            <ul className={`panel ${classes.operations}`}>
              {operations.map((each) => (
                <OneOperation key={each.name} {...{ api, mayMake }} operation={each} />
              ))}
            </ul>
          )
        }
      </Paged>
    </section>
  );
}

interface OneOperationProps {
  readonly api: ApiWithReport;
  readonly operation: Operation;
  readonly mayMake: boolean;
}

function OneOperation({ api, operation, mayMake }: OneOperationProps) {
  const queries = useQueryClient();
  const { name, title, method, path, deprecated } = operation;
  const layer = async () => {
    const [{ argsSchema }, { firstInput }] = await Promise.all([
      queries.query(operationQuery(api, name)),
      import('./first-input'),
    ]);
    const input = firstInput(argsSchema);
    const args = { api: api.key ?? api.id, operation: name, ...(input && { input }), ...authOf(api) };
    return { ref: 'operation', appId: 'operation', args };
  };
  return (
    <CallableRow
      title={title || name}
      code={`${method} ${path}`}
      marks={deprecated && <Mark kind="off">Deprecated</Mark>}
      action={mayMake && <NewFlowWith {...{ name, title, layer }} />}
    >
      <Suspense>
        <OperationDetails {...{ api, operation }} />
      </Suspense>
    </CallableRow>
  );
}
