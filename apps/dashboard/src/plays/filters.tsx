import { Button, Popover, Select, Skeleton, TextInput } from '@mantine/core';
import { PLAY_STATES, PLAY_TRIGGERS, type PlayState } from '@weft/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, memo, Suspense, useState, type ReactNode, type SyntheticEvent } from 'react';
import { flowNamesQuery } from '../flows/flow-names';
import { Icon } from '../ui/icon';
import { InTurns } from '../ui/in-turns';
import { STATES } from '../ui/state-badge';
import { ActiveFilters, countOfMore } from './active-filters';
import type { Counts } from './counts';
import { keyText, meantBy } from './key-search';
import type { PlaysSearch } from './plays-search';
import classes from './plays.module.css';

const MoreFilters = lazy(async () => ({ default: (await import('./more-filters')).MoreFilters }));

const HOUR = 3_600_000;
const ORDERS = [
  { value: 'createdAt', label: 'Newest first' },
  { value: 'completedAt', label: 'Last ended first' },
];
const SINCE = [
  { value: String(HOUR), label: 'Last hour' },
  { value: String(24 * HOUR), label: 'Last 24 hours' },
  { value: String(7 * 24 * HOUR), label: 'Last 7 days' },
];

interface FiltersProps {
  readonly search: PlaysSearch;
  /** Null while they are read. */
  readonly counts: Counts | null;
  readonly onChange: (search: PlaysSearch) => void;
  /** Further menus. */
  readonly children: ReactNode;
}

export const Filters = memo(function Filters({ search, counts, onChange, children }: FiltersProps) {
  const { data: names } = useQuery(flowNamesQuery);
  const without = <K extends keyof PlaysSearch>(name: K): Omit<PlaysSearch, K> => {
    const { [name]: _, ...rest } = search;
    return rest;
  };
  const set = (name: keyof PlaysSearch, value: string | null): void =>
    onChange(value === null ? without(name) : { ...search, [name]: value });
  const toggle = (state: PlayState): void => {
    const states = new Set(search.state);
    if (!states.delete(state)) states.add(state);
    onChange(
      states.size === 0 ? without('state') : { ...search, state: PLAY_STATES.filter((each) => states.has(each)) },
    );
  };
  return (
    <div className={classes.filters} role="search">
      <InTurns>
        <div className={classes.states} role="group" aria-label="States">
          {PLAY_STATES.map((state) => (
            <button
              key={state}
              type="button"
              className={classes.state}
              data-state={state}
              aria-pressed={search.state?.includes(state) ?? false}
              title={STATES[state]?.says}
              onClick={() => toggle(state)}
            >
              <Icon name={STATES[state]?.icon ?? 'dot'} size={12} />
              {STATES[state]?.word}
              <span className={classes.count}>{countText(counts, state)}</span>
            </button>
          ))}
        </div>
        <Select
          aria-label="Flow"
          placeholder="Any flow"
          searchable
          clearable
          data={[...(names ?? [])].map(([value, label]) => ({ value, label }))}
          value={search.flowId ?? null}
          onChange={(value) => set('flowId', value)}
        />
        <Select
          aria-label="Started by"
          placeholder="Any trigger"
          clearable
          data={[...PLAY_TRIGGERS]}
          value={search.trigger ?? null}
          onChange={(value) => set('trigger', value)}
        />
        <Select
          aria-label="Accepted since"
          placeholder="Any time"
          clearable
          data={SINCE}
          value={null}
          onChange={(value) => set('from', value === null ? null : new Date(Date.now() - Number(value)).toISOString())}
        />
        <KeyField search={search} onFind={onChange} />
        <MoreButton search={search} onChange={onChange} />
        <Select
          aria-label="Order"
          data={ORDERS}
          value={search.sort ?? 'createdAt'}
          onChange={(value) => set('sort', value === 'completedAt' ? value : null)}
        />
        {children}
        <ActiveFilters search={search} onChange={onChange} />
      </InTurns>
    </div>
  );
});

function MoreButton({ search, onChange }: Pick<FiltersProps, 'search' | 'onChange'>) {
  const [isOpen, setOpen] = useState(false);
  const count = countOfMore(search);
  const apply = (next: PlaysSearch): void => {
    setOpen(false);
    onChange(next);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} width={300} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Icon name="filter" size={13} />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {count === 0 ? 'More filters' : `More filters (${count})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense fallback={<Skeleton height={220} />}>
          <MoreFilters search={search} onApply={apply} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

interface KeyFieldProps {
  readonly search: PlaysSearch;
  readonly onFind: (search: PlaysSearch) => void;
}

function KeyField({ search, onFind }: KeyFieldProps) {
  const navigate = useNavigate();
  const [text, setText] = useState(keyText(search));
  const find = (event: SyntheticEvent): void => {
    event.preventDefault();
    const meant = meantBy(text);
    if ('playId' in meant) return void navigate({ to: '/plays/$playId', params: meant });
    const { idempotencyKey: _, idempotencyKeyPrefix: _p, ...rest } = search;
    const { label = [], ...key } = meant.search;
    const labels = [...new Set([...(rest.label ?? []), ...label])];
    if (label.length > 0) setText('');
    onFind({ ...rest, ...key, ...(labels.length > 0 && { label: labels }) });
  };
  return (
    <form onSubmit={find}>
      <TextInput
        aria-label="Find plays by id, key:value or idempotency key"
        placeholder="id, key:value or key"
        title="An id, a label as key:value, or an idempotency key; a * at its end stands for anything"
        leftSection={<Icon name="search" size={13} />}
        maxLength={320}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}

function countText(counts: Counts | null, state: PlayState): string {
  if (counts === null) return '';
  return `${counts.counts[state].toLocaleString()}${counts.capped.includes(state) ? '+' : ''}`;
}
