import { Button } from '@mantine/core';
import { atLeast } from '@weft/access';
import { isFinal } from '@weft/contracts';
import { lazy, Suspense, useState } from 'react';
import type { BulkAction } from '../bulk/bulk';
import { may, useMe } from '../session/me';
import type { Play } from './play';
import type { PlaysSearch } from './plays-search';
import type { Selection } from './selection';
import classes from './plays.module.css';

const BulkDialog = lazy(async () => ({ default: (await import('../bulk/bulk-dialog')).BulkDialog }));

/** More at once are an operation on all that match: docs/http-api.md §5. */
const MAX_IDS = 1_000;

interface BulkBarProps {
  readonly selection: Selection;
  readonly rows: readonly Play[];
  readonly search: PlaysSearch;
  /** How many match, as text: `10,000+`. */
  readonly matching: string;
  readonly onAll: () => void;
  readonly onClear: () => void;
}

/** Commands on the selected plays, for those who may command all plays. */
export function BulkBar({ selection, rows, search, matching, onAll, onClear }: BulkBarProps) {
  const me = useMe();
  const [action, setAction] = useState<BulkAction | null>(null);
  const { ids, isAll } = selection;
  if (ids.size === 0 && !isAll) return null;
  const chosen = rows.filter(({ id }) => ids.has(id));
  const open = chosen.filter(({ state }) => !isFinal(state));
  const failed = chosen.filter(({ state }) => state === 'FAIL');
  const meant = (action === 'retry' ? failed : open).map(({ id }) => id);
  const mayNot = (some: readonly Play[]): boolean => !isAll && (some.length === 0 || some.length > MAX_IDS);
  const close = (isStarted: boolean): void => {
    setAction(null);
    if (isStarted) onClear();
  };
  return (
    <div className={`panel ${classes.bulk}`} role="region" aria-label="Selected plays">
      <span>{isAll ? `All ${matching} that match` : `${ids.size} selected`}</span>
      {may(me, atLeast('editor')) && (
        <>
          {!isAll && (
            <Button variant="subtle" onClick={onAll}>
              All {matching} that match
            </Button>
          )}
          {!isAll && ids.size > MAX_IDS && <span>Choose {MAX_IDS.toLocaleString()} at the most, or all.</span>}
          <Button aria-keyshortcuts="r" disabled={mayNot(failed)} onClick={() => setAction('retry')}>
            {isAll ? 'Retry the failed ones …' : `Retry ${failed.length} failed …`}
          </Button>
          <Button variant="default" disabled={mayNot(open)} onClick={() => setAction('cancel')}>
            {isAll ? 'Cancel the open ones …' : `Cancel ${open.length} open …`}
          </Button>
        </>
      )}
      <Button variant="subtle" color="gray" onClick={onClear}>
        Clear
      </Button>
      {action !== null && (
        <Suspense>
          <BulkDialog action={action} ids={isAll ? null : meant} search={search} rows={rows} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}
