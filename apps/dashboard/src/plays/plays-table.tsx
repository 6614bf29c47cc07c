import { Checkbox } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useNavigate } from '@tanstack/react-router';
import {
  memo,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
} from 'react';
import { useFlowNames } from '../flows/flow-names';
import { useLatest } from '../ui/use-latest';
import { shownColumns, tracksOf } from './columns';
import type { ListState } from './list-state';
import { PlayRow } from './play-row';
import type { PlaysPageSearch } from './plays-search';
import type { Selection } from './selection';
import { useListKeys } from './use-list-keys';
import classes from './plays.module.css';

interface PlaysTableProps {
  readonly list: ListState;
  readonly search: PlaysPageSearch;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
  readonly onShow: () => void;
  readonly selection: Selection;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
}

const NONE: ReadonlySet<string> = new Set();
const AHEAD = 25;

/** Only the rows on the screen are in the page, so a hundred thousand are as quick as ten. */
export const PlaysTable = memo(function PlaysTable({
  list,
  search,
  isLoadingMore,
  onMore,
  onShow,
  selection,
  onSelect,
}: PlaysTableProps) {
  const { ids: selected, isAll } = selection;
  const { rows, nextCursor, leaving } = list;
  const isNarrow = useMediaQuery('(max-width: 52rem)', false, { getInitialValueInEffect: false });
  const columns = useMemo(() => shownColumns(search), [search]);
  const names = useFlowNames();
  const navigate = useNavigate();
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), [isNarrow]);
  const rowPx = isNarrow ? 60 : 36;
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 4,
    // a frame of its own: what scrolls does not wait for the rows
    useFlushSync: false,
    scrollMargin: top,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  useEffect(() => virtual.measure(), [rowPx, virtual]);
  // where the table is, is known once it is there: the first rows are drawn after that, in turns
  const isPlaced = useDeferredValue(true, false);
  const items = isPlaced ? virtual.getVirtualItems() : [];
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (nextCursor !== null && lastShown > rows.length - AHEAD) onMore();
  }, [lastShown, rows.length, nextCursor, onMore]);

  const toggle = useLatest((id: string): void => {
    const next = new Set(isAll ? rows.map((row) => row.id) : selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  });
  const cursor = useListKeys({
    count: rows.length,
    onMove: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
    onOpen: (index) => {
      const id = rows[index]?.id;
      if (id !== undefined) void navigate({ to: '/plays/$playId', params: { playId: id } });
    },
    onMark: (index) => {
      const id = rows[index]?.id;
      if (id !== undefined) toggle(id);
    },
    onMarkAll: () => onSelect(new Set(rows.map(({ id }) => id))),
    onClear: () => onSelect(NONE),
    onShow,
  });
  return (
    <div className={`panel ${classes.table}`} style={{ '--columns': tracksOf(columns) } as CSSProperties}>
      <div role="table" aria-label="Plays" aria-rowcount={rows.length + 1}>
        <div role="rowgroup">
          <div className={classes.head} role="row">
            <span role="columnheader">
              <Checkbox
                aria-label="Select all that are shown"
                checked={isAll || (rows.length > 0 && selected.size >= rows.length)}
                indeterminate={!isAll && selected.size > 0 && selected.size < rows.length}
                onChange={(event) => onSelect(event.currentTarget.checked ? new Set(rows.map(({ id }) => id)) : NONE)}
              />
            </span>
            {['State', 'Flow', ...columns.map(({ title }) => title)].map((title) => (
              <span key={title} role="columnheader">
                {title}
              </span>
            ))}
          </div>
        </div>
        <div ref={body} className={classes.body} role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const play = rows[index];
            if (!play) return null;
            return (
              <PlayRow
                key={key}
                play={play}
                flowName={names.get(play.flowId)}
                rowIndex={index + 2}
                offset={start - top}
                isCursor={index === cursor}
                isSelected={isAll || selected.has(play.id)}
                isNarrow={isNarrow}
                isLeaving={leaving.has(play.id)}
                columns={columns}
                search={search}
                onToggle={toggle}
              />
            );
          })}
        </div>
      </div>
      <div className={classes.foot} role="status">
        {footText(rows.length, nextCursor !== null, isLoadingMore)}
      </div>
    </div>
  );
});

function footText(shown: number, hasMore: boolean, isLoading: boolean): string {
  if (isLoading) return 'Reading more …';
  const count = shown.toLocaleString();
  return hasMore ? `${count} shown; scroll for more` : `${count} in all`;
}
