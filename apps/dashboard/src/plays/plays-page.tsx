import { Button, Switch } from '@mantine/core';
import { atLeast } from '@weft/access';
import { isFinal, PLAY_STATES } from '@weft/contracts';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { may, useMe } from '../session/me';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { InTurns } from '../ui/in-turns';
import { Page } from '../ui/page';
import { useLatest } from '../ui/use-latest';
import { BulkBar } from './bulk-bar';
import type { Counts } from './counts';
import { FirstPlay } from './first-play';
import { Filters } from './filters';
import type { ListState } from './list-state';
import { keyText } from './key-search';
import { isFiltered, type PlaysPageSearch, type PlaysSearch } from './plays-search';
import { PlaysTable } from './plays-table';
import { ALL, NOTHING, someOf, type Selection } from './selection';
import { TableSkeleton } from './table-skeleton';
import { useCounts } from './use-counts';
import { useLivePlays } from './use-plays';
import classes from './plays.module.css';

const ColumnsMenu = lazy(async () => ({ default: (await import('./columns-menu')).ColumnsMenu }));
const ViewsMenu = lazy(async () => ({ default: (await import('./views-menu')).ViewsMenu }));
const ExportDialog = lazy(async () => ({ default: (await import('./export/export-dialog')).ExportDialog }));

export function PlaysPage() {
  const raw = useSearch({ from: '/shell/plays' });
  const { cols, ...filter } = raw;
  const key = JSON.stringify(filter);
  // the same filter is the same object: what depends on it is read once
  const search = useMemo(() => JSON.parse(key) as PlaysSearch, [key]);
  const colsKey = cols?.join();
  const page = useMemo(
    () => ({ ...search, ...(colsKey !== undefined && { cols: colsKey.split(',') }) }),
    [search, colsKey],
  );
  const navigate = useNavigate();
  const plays = useLivePlays(search);
  const counts = useCounts(search);
  const [isFollowing, setFollowing] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const [chosen, setChosen] = useState<{ readonly of: string; readonly selection: Selection } | null>(null);
  const selection = chosen?.of === key ? chosen.selection : NOTHING;
  const select = (next: Selection): void => setChosen({ of: key, selection: next });
  const selectIds = useLatest((ids: ReadonlySet<string>): void => select(someOf(ids)));
  const more = useLatest(plays.loadMore);
  const { list, showAll } = plays;
  const me = useMe();
  const waiting = (list?.newer.size ?? 0) + (list?.leaving.size ?? 0);
  useEffect(() => {
    if (isFollowing && waiting > 0) showAll();
  }, [isFollowing, waiting, showAll]);
  const open = useLatest((next: PlaysPageSearch): void => void navigate({ to: '/plays', search: next }));
  const change = useLatest((next: PlaysSearch): void => open({ ...next, ...(cols && { cols }) }));
  const menus = useMemo(
    () => (
      <Suspense>
        <ColumnsMenu search={page} onChange={open} />
        <ViewsMenu search={page} />
      </Suspense>
    ),
    [page, open],
  );
  return (
    <Page
      title="Plays"
      help="docs/plays.md"
      aside={
        <>
          {may(me, atLeast('editor')) && <Link to="/bulk">Bulk operations</Link>}
          <Button variant="default" onClick={() => setExporting(true)}>
            Export …
          </Button>
          <Switch
            size="xs"
            label="Follow"
            title="Show new plays at once, instead of offering them"
            checked={isFollowing}
            onChange={(event) => setFollowing(event.currentTarget.checked)}
          />
        </>
      }
    >
      <InTurns>
        <Filters key={keyText(search)} search={search} counts={counts} onChange={change}>
          {menus}
        </Filters>
        {plays.error !== null && <ErrorNotice error={plays.error} onRetry={plays.reload} />}
        {list === null && plays.error === null && <TableSkeleton />}
        {list !== null && (
          <>
            <div className={classes.news} aria-live="polite">
              {waiting > 0 && !isFollowing && (
                <Button variant="light" size="compact-xs" onClick={showAll}>
                  {newsText(list)}
                </Button>
              )}
            </div>
            {list.rows.length > 0 ? (
              <PlaysTable
                list={list}
                search={page}
                isLoadingMore={plays.isLoadingMore}
                onMore={more}
                onShow={showAll}
                selection={selection}
                onSelect={selectIds}
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
            <BulkBar
              selection={selection}
              rows={list.rows}
              search={search}
              matching={matchingText(counts, search)}
              onAll={() => select(ALL)}
              onClear={() => select(NOTHING)}
            />
          </>
        )}
      </InTurns>
      {isExporting && (
        <Suspense>
          <ExportDialog search={search} onClose={() => setExporting(false)} />
        </Suspense>
      )}
    </Page>
  );
}

/** How many match; empty while they are counted. */
function matchingText(counts: Counts | null, { state = PLAY_STATES, sort }: PlaysSearch): string {
  if (counts === null) return '';
  const states = sort === undefined ? state : state.filter((each) => isFinal(each));
  const sum = states.reduce((total, each) => total + counts.counts[each], 0);
  return `${sum.toLocaleString()}${counts.capped.some((each) => states.includes(each)) ? '+' : ''}`;
}

function newsText({ newer, leaving }: ListState): string {
  const parts = [
    ...(newer.size > 0 ? [`${newer.size} newer`] : []),
    ...(leaving.size > 0 ? [`${leaving.size} no longer match`] : []),
  ];
  return `${parts.join(', ')}: show`;
}
