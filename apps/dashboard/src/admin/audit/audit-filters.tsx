import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { OPERATOR } from '@weft/access';
import { useState, type SyntheticEvent } from 'react';
import { fromLocalInput, toLocalInput } from '../../plays/local-time';
import { may, useMe } from '../../session/me';
import { useUserNames } from '../user-names';
import { actionText, AUDIT_ACTIONS } from './audit-actions';
import type { AuditSearch } from './audit-search';
import classes from '../admin.module.css';

interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly onChange: (search: AuditSearch) => void;
}

export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const me = useMe();
  const names = useUserNames();
  const [id, setId] = useState(search.resource_id ?? '');
  const [from, setFrom] = useState(toLocalInput(search.from));
  const [to, setTo] = useState(toLocalInput(search.to));
  const set = (fields: { readonly [K in keyof AuditSearch]: AuditSearch[K] | null | undefined }): void => {
    const next = Object.entries({ ...search, ...fields }).filter(([, value]) => value !== null && value !== undefined);
    onChange(Object.fromEntries(next));
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const resource_id = id.trim() === '' ? null : id.trim();
    set({ resource_id, from: fromLocalInput(from), to: fromLocalInput(to) });
  };
  const actors = [...names].map(([value, label]) => ({ value, label }));
  if (search.actor && !names.has(search.actor)) actors.push({ value: search.actor, label: search.actor });
  return (
    <form className={classes.filters} role="search" onSubmit={submit}>
      <Select
        label="What"
        placeholder="Anything"
        searchable
        clearable
        data={AUDIT_ACTIONS.map((value) => ({ value, label: actionText(value) }))}
        value={search.action ?? null}
        onChange={(value) => set({ action: AUDIT_ACTIONS.find((each) => each === value) ?? null })}
      />
      <Select
        label="Who"
        placeholder="Anybody"
        searchable
        clearable
        data={actors}
        value={search.actor ?? null}
        onChange={(actor) => set({ actor })}
      />
      <TextInput
        label="Id of the thing"
        maxLength={64}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label="Before"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Button type="submit" variant="default">
        Show these
      </Button>
      {search.resource_type && (
        <Button variant="light" onClick={() => set({ resource_type: null })}>
          {search.resource_type.replaceAll('_', ' ')} ×
        </Button>
      )}
      {Object.keys(search).length > 0 && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
      {may(me, OPERATOR) && (
        <Checkbox
          label="What belongs to no company"
          checked={search.installation === 'true'}
          onChange={(event) => set({ installation: event.currentTarget.checked ? 'true' : null })}
        />
      )}
    </form>
  );
}
