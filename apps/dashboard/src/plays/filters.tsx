import { Button, Select, TextInput } from '@mantine/core';
import { PLAY_STATES, type PlayState } from '@weft/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SyntheticEvent } from 'react';
import { flowNamesQuery } from '../flows/flow-names';
import { Icon } from '../ui/icon';
import { STATES } from '../ui/state-badge';
import type { Counts } from './counts';
import { isFiltered, TRIGGERS, type PlaysSearch } from './plays-search';
import classes from './plays.module.css';

const HOUR = 3_600_000;
const SINCE = [
  { value: String(HOUR), label: 'Last hour' },
  { value: String(24 * HOUR), label: 'Last 24 hours' },
  { value: String(7 * 24 * HOUR), label: 'Last 7 days' },
];
/** What ids of plays look like; anything else in the search field is an idempotency key. */
const ID = /^[0-9a-z]{20}$/;

interface FiltersProps {
  readonly search: PlaysSearch;
  /** Null while they are read. */
  readonly counts: Counts | null;
  readonly onChange: (search: PlaysSearch) => void;
}

export function Filters({ search, counts, onChange }: FiltersProps) {
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
        placeholder="Started by anything"
        clearable
        data={[...TRIGGERS]}
        value={search.trigger ?? null}
        onChange={(value) => set('trigger', value)}
      />
      <Select
        aria-label="Accepted since"
        placeholder={search.from ? `Since ${new Date(search.from).toLocaleString()}` : 'Any time'}
        clearable
        data={SINCE}
        value={null}
        onChange={(value) => set('from', value === null ? null : new Date(Date.now() - Number(value)).toISOString())}
      />
      <KeyField search={search} onFind={(key) => set('idempotencyKey', key)} />
      {search.errorCode && (
        <Button variant="light" rightSection={<Icon name="cross" size={13} />} onClick={() => set('errorCode', null)}>
          Error {search.errorCode}
        </Button>
      )}
      {isFiltered(search) && (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<Icon name="cross" size={13} />}
          onClick={() => onChange({})}
        >
          Clear
        </Button>
      )}
    </div>
  );
}

function KeyField({ search, onFind }: { readonly search: PlaysSearch; readonly onFind: (key: string | null) => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState(search.idempotencyKey ?? '');
  const find = (event: SyntheticEvent): void => {
    event.preventDefault();
    const key = text.trim();
    if (ID.test(key)) void navigate({ to: '/plays/$playId', params: { playId: key } });
    else onFind(key === '' ? null : key);
  };
  return (
    <form onSubmit={find}>
      <TextInput
        aria-label="Play id or idempotency key"
        placeholder="Play id or idempotency key"
        leftSection={<Icon name="search" size={13} />}
        maxLength={255}
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
