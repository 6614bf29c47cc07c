import { Button, SegmentedControl, Skeleton, TextInput } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type SyntheticEvent } from 'react';
import { may, useMe } from '../session/me';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { Icon } from '../ui/icon';
import { Page } from '../ui/page';
import { FirstFlow } from './first-flow';
import { SHOWN, type FlowsSearch, type FlowsShown } from './flows-search';
import { FlowsTable } from './flows-table';
import { NewFlow } from './new-flow';
import { useFlows } from './use-flows';
import classes from './flows.module.css';

const NAMES: Readonly<Record<FlowsShown, string>> = {
  flows: 'Flows',
  paused: 'Paused',
  blueprints: 'Blueprints',
  deleted: 'Deleted',
};
const NOTHING: Readonly<Record<FlowsShown, string>> = {
  flows: 'No flow yet',
  paused: 'No flow is paused',
  blueprints: 'No blueprint yet',
  deleted: 'No deleted flow is kept',
};

export function FlowsPage() {
  const me = useMe();
  const search = useSearch({ from: '/shell/flows' });
  const navigate = useNavigate();
  const [isMaking, setMaking] = useState(false);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useFlows(search);
  const flows = data?.pages.flatMap(({ items }) => items);
  const mayMake = may(me, atLeast('editor'));
  const change = (next: FlowsSearch): void => void navigate({ to: '/flows', search: next });
  return (
    <Page title="Flows" aside={mayMake && <Button onClick={() => setMaking(true)}>New flow …</Button>}>
      <Filters key={search.q} search={search} onChange={change} mayRestore={may(me, atLeast('admin'))} />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!flows && !error && <Skeleton height={240} radius="md" />}
      {flows && flows.length > 0 && <FlowsTable flows={flows} />}
      {flows?.length === 0 && (
        <Nothing search={search} onClear={() => change({})} onNew={mayMake ? () => setMaking(true) : null} />
      )}
      {hasNextPage && (
        <div>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            More
          </Button>
        </div>
      )}
      {isMaking && <NewFlow onClose={() => setMaking(false)} />}
    </Page>
  );
}

interface NothingProps {
  readonly search: FlowsSearch;
  readonly onClear: () => void;
  readonly onNew: (() => void) | null;
}

function Nothing({ search, onClear, onNew }: NothingProps) {
  const { show = 'flows' } = search;
  const isFiltered = search.q !== undefined || search.category !== undefined;
  if (!isFiltered && show === 'flows') return <FirstFlow onNew={onNew} />;
  return (
    <EmptyState title={isFiltered ? 'No flow matches' : NOTHING[show]}>
      {!isFiltered && show === 'blueprints' && (
        <p>A blueprint is a flow with variables, from which others are made. Turn a flow into one in its settings.</p>
      )}
      <Button variant="default" onClick={onClear}>
        Show all flows
      </Button>
    </EmptyState>
  );
}

interface FiltersProps {
  readonly search: FlowsSearch;
  readonly onChange: (search: FlowsSearch) => void;
  readonly mayRestore: boolean;
}

function Filters({ search, onChange, mayRestore }: FiltersProps) {
  const [text, setText] = useState(search.q ?? '');
  const { q: _, ...rest } = search;
  const find = (event: SyntheticEvent): void => {
    event.preventDefault();
    onChange({ ...rest, ...(text.trim() !== '' && { q: text.trim() }) });
  };
  return (
    <div className={classes.filters} role="search">
      <form onSubmit={find} className={classes.search}>
        <TextInput
          aria-label="Part of the name"
          placeholder="Part of the name"
          leftSection={<Icon name="search" size={13} />}
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onBlur={find}
        />
      </form>
      <SegmentedControl
        aria-label="Which flows"
        data={SHOWN.filter((each) => each !== 'deleted' || mayRestore).map((value) => ({ value, label: NAMES[value] }))}
        value={search.show ?? 'flows'}
        onChange={(show) => onChange({ ...search, show })}
      />
    </div>
  );
}
