import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { fromLocalInput, toLocalInput } from './local-time';
import { LABEL, type PlaysSearch } from './plays-search';
import classes from './plays.module.css';

interface MoreFiltersProps {
  readonly search: PlaysSearch;
  readonly onApply: (search: PlaysSearch) => void;
}

const TIMES = [
  ['from', 'Accepted from'],
  ['to', 'before'],
  ['endedFrom', 'Ended from'],
  ['endedTo', 'before'],
] as const;

/** Filters that are wanted less often: times from and to, labels, the error, what is being retried, and what is still to be. */
export function MoreFilters({ search, onApply }: MoreFiltersProps) {
  const [times, setTimes] = useState(() => TIMES.map(([name]) => toLocalInput(search[name])));
  const [errorCode, setErrorCode] = useState(search.errorCode ?? '');
  const [typed, setTyped] = useState('');
  const [isRetrying, setRetrying] = useState(search.retrying === 'true');
  const [isUnmended, setUnmended] = useState(search.mended === 'false');
  const label = typed.trim();
  const isWrong = label !== '' && !LABEL.test(label);
  const apply = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isWrong) return;
    const {
      from: _f,
      to: _t,
      endedFrom: _e,
      endedTo: _u,
      errorCode: _c,
      label: labels = [],
      retrying: _r,
      mended: _m,
      ...rest
    } = search;
    const read = TIMES.map(([name], i) => [name, timeOf(times[i] ?? '', search[name])] as const);
    onApply({
      ...rest,
      ...Object.fromEntries(read.filter(([, time]) => time !== undefined)),
      ...(errorCode.trim() !== '' && { errorCode: errorCode.trim() }),
      ...(labels.length > 0 && { label: labels }),
      ...(label !== '' && { label: [...labels.filter((each) => each !== label), label] }),
      ...(isRetrying && { retrying: 'true' as const }),
      ...(isUnmended && { mended: 'false' as const }),
    });
  };
  return (
    <form onSubmit={apply} className={classes.more}>
      {TIMES.map(([name, label], i) => (
        <TextInput
          key={name}
          type="datetime-local"
          step={1}
          label={label}
          aria-label={name === 'to' ? 'Accepted before' : name === 'endedTo' ? 'Ended before' : label}
          value={times[i]}
          onChange={(event) => setTimes(times.with(i, event.currentTarget.value))}
        />
      ))}
      <TextInput
        label="Label"
        placeholder="customer:1042"
        description="key:value; it is added to those that are chosen"
        error={isWrong ? `“${label}” is not key:value` : undefined}
        maxLength={320}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <TextInput
        label="Error code"
        placeholder="timeout"
        maxLength={100}
        value={errorCode}
        onChange={(event) => setErrorCode(event.currentTarget.value)}
      />
      <Checkbox
        label="Pausing before a failed layer is called again"
        checked={isRetrying}
        onChange={(event) => setRetrying(event.currentTarget.checked)}
      />
      <Checkbox
        label="Without failures that a later retry has mended"
        checked={isUnmended}
        onChange={(event) => setUnmended(event.currentTarget.checked)}
      />
      <Button type="submit">Show these</Button>
    </form>
  );
}

/** What was not touched stays exact, also where the field shows no milliseconds. */
function timeOf(text: string, before: string | undefined): string | undefined {
  return text === toLocalInput(before) ? before : fromLocalInput(text);
}
