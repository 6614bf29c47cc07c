import { Button, Switch } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { BulkBar } from './bulk-bar';
import { FirstPlay } from './first-play';
import { Filters } from './filters';
import { isFiltered, type PlaysSearch } from './plays-search';
import { PlaysTable } from './plays-table';
import { TableSkeleton } from './table-skeleton';
import { useCounts } from './use-counts';
import { useLivePlays } from './use-plays';
import classes from './plays.module.css';

export function PlaysPage() {
  const raw = useSearch({ from: '/shell/plays' });
  const key = JSON.stringify(raw);
  // the same filter is the same object: what depends on it is read once
  const search = useMemo(() => JSON.parse(key) as PlaysSearch, [key]);
  const navigate = useNavigate();
  const plays = useLivePlays(search);
  const counts = useCounts(search);
  const [isFollowing, setFollowing] = useState(false);
  const [selection, setSelection] = useState<{ readonly of: string; readonly ids: ReadonlySet<string> }>(NOTHING);
  const selected = selection.of === key ? selection.ids : NOTHING.ids;
  const { list, showAll } = plays;
  const waiting = (list?.newer.size ?? 0) + (list?.leaving.size ?? 0);
  useEffect(() => {
    if (isFollowing && waiting > 0) showAll();
  }, [isFollowing, waiting, showAll]);
  const change = (next: PlaysSearch): void => void navigate({ to: '/plays', search: next });
  return (
    <Page
      title="Plays"
      aside={
        <Switch
          size="xs"
          label="Follow"
          title="Show new plays at once, instead of offering them"
          checked={isFollowing}
          onChange={(event) => setFollowing(event.currentTarget.checked)}
        />
      }
    >
      <Filters key={search.idempotencyKey} search={search} counts={counts} onChange={change} />
      {plays.error !== null && <ErrorNotice error={plays.error} onRetry={plays.reload} />}
      {list === null && plays.error === null && <TableSkeleton />}
      {list !== null && (
        <>
          <div className={classes.news} aria-live="polite">
            {waiting > 0 && !isFollowing && (
              <Button variant="light" size="compact-xs" onClick={showAll}>
                {newsText(list.newer.size, list.leaving.size)}
              </Button>
            )}
          </div>
          {list.rows.length > 0 ? (
            <PlaysTable
              list={list}
              isLoadingMore={plays.isLoadingMore}
              onMore={plays.loadMore}
              onShow={showAll}
              selected={selected}
              onSelect={(ids) => setSelection({ of: key, ids })}
            />
          ) : isFiltered(search) ? (
            <EmptyState title="No play matches">
              <Button variant="default" onClick={() => change({})}>
                Clear the filters
              </Button>
            </EmptyState>
          ) : (
            waiting === 0 && <FirstPlay />
          )}
          <BulkBar selected={selected} rows={list.rows} onClear={() => setSelection(NOTHING)} />
        </>
      )}
    </Page>
  );
}

const NOTHING = { of: '', ids: new Set<string>() };

function newsText(newer: number, leaving: number): string {
  const parts = [...(newer > 0 ? [`${newer} newer`] : []), ...(leaving > 0 ? [`${leaving} no longer match`] : [])];
  return `${parts.join(', ')}: show`;
}
