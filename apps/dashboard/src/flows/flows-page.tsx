import { Button, SegmentedControl } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { may, useMe } from '../session/me';
import { EmptyState } from '../ui/empty-state';
import { Page } from '../ui/page';
import { Paged } from '../ui/paged';
import { SearchField } from '../ui/search-field';
import { FirstFlow } from './first-flow';
import { SHOWN, type FlowsSearch, type FlowsShown } from './flows-search';
import { FlowsTable } from './flows-table';
import { useFlows } from './use-flows';
import classes from './flows.module.css';

const NewFlow = lazy(async () => ({ default: (await import('./new-flow/new-flow')).NewFlow }));

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
  const { new: asked, recipe, ...shown } = search;
  const [isMaking, setMaking] = useState(false);
  const from = asked ?? (isMaking ? 'nothing' : undefined);
  const pages = useFlows(shown);
  const mayMake = may(me, atLeast('editor'));
  const close = (): void => {
    setMaking(false);
    if (asked) void navigate({ to: '/flows', search: shown, replace: true });
  };
  const change = (next: FlowsSearch): void => void navigate({ to: '/flows', search: next });
  return (
    <Page
      title="Flows"
      help="docs/flows.md"
      aside={mayMake && <Button onClick={() => setMaking(true)}>New flow …</Button>}
    >
      <Filters key={search.q} search={search} onChange={change} mayRestore={may(me, atLeast('admin'))} />
      <Paged pages={pages}>
        {(flows) =>
          flows.length > 0 ? (
            <FlowsTable flows={flows} />
          ) : (
            <Nothing search={search} onClear={() => change({})} onNew={mayMake ? () => setMaking(true) : null} />
          )
        }
      </Paged>
      <Suspense>{mayMake && from && <NewFlow from={from} recipe={recipe} onClose={close} />}</Suspense>
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
  const { q: _, ...rest } = search;
  return (
    <div className={classes.filters} role="search">
      <SearchField
        label="Part of the name"
        value={search.q}
        onFind={(q) => onChange({ ...rest, ...(q !== '' && { q }) })}
      />
      <SegmentedControl
        aria-label="Which flows"
        data={SHOWN.filter((each) => each !== 'deleted' || mayRestore).map((value) => ({ value, label: NAMES[value] }))}
        value={search.show ?? 'flows'}
        onChange={(show) => onChange({ ...search, show })}
      />
    </div>
  );
}
