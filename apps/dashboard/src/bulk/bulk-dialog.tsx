import { Button, NumberInput, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Play } from '../plays/play';
import type { PlaysSearch } from '../plays/plays-search';
import { targetOf, type BulkTarget } from '../plays/read-plays';
import { Dialog } from '../ui/dialog';
import { ErrorNotice } from '../ui/error-notice';
import { answerOf, api } from '../api/client';
import { ACTIONS, bulkKey, BULKS_KEY, countMatching, startBulk, type Bulk, type BulkAction } from './bulk';
import { BulkProgress } from './bulk-progress';
import { LeftOver } from './left-over';
import { useFreshProgress } from './use-fresh-progress';
import classes from './bulk.module.css';

interface BulkDialogProps {
  readonly action: BulkAction;
  /** Null: all that match the search. */
  readonly ids: readonly string[] | null;
  readonly search: PlaysSearch;
  readonly rows: readonly Play[];
  /** @param isStarted whether something was started meanwhile */
  readonly onClose: (isStarted: boolean) => void;
}

/** Asks with the number of plays, then shows how far it is, then what was left. */
export function BulkDialog(props: BulkDialogProps) {
  const { action, ids, search, onClose } = props;
  const queries = useQueryClient();
  const [target] = useState<BulkTarget>(() => (ids === null ? targetOf(search) : { ids: [...ids] }));
  const [rate, setRate] = useState<number | string>('');
  const match = useQuery({
    queryKey: ['bulk-match', action, target],
    queryFn: () => countMatching(action, target),
    gcTime: 0,
  });
  const start = useMutation({
    mutationFn: () => startBulk(action, target, rate === '' ? undefined : Number(rate)),
    onSuccess: (bulk) => {
      queries.setQueryData(bulkKey(bulk.id), bulk);
      void queries.invalidateQueries({ queryKey: BULKS_KEY });
    },
  });
  const { does, loses } = ACTIONS[action] ?? { does: action, loses: '' };
  const count = match.data?.toLocaleString() ?? '…';
  const plays = match.data === 1 ? '1 play' : `${count} plays`;
  const close = (): void => onClose(start.isSuccess);
  return (
    <Dialog onClose={close} title={start.data ? `${does} ${plays}` : `${does} ${plays}?`} size="md">
      {start.data ? (
        <Running {...props} started={start.data} onClose={close} />
      ) : (
        <div className={classes.form}>
          {match.isPending ? <Skeleton height={20} /> : <p>{match.data === 0 ? NONE : loses}</p>}
          {match.isError && <ErrorNotice error={match.error} onRetry={() => void match.refetch()} />}
          <NumberInput
            label="At most this many a second"
            description="Empty: as fast as it goes."
            min={1}
            max={1_000}
            allowDecimal={false}
            value={rate}
            onChange={setRate}
          />
          {start.isError && <ErrorNotice error={start.error} />}
          <div className={classes.buttons}>
            <Button
              color={action === 'cancel' ? 'red.9' : 'iris'}
              disabled={!match.data}
              loading={start.isPending}
              onClick={() => start.mutate()}
            >
              {match.data ? `${does} ${plays}` : does}
            </Button>
            <Button variant="default" data-autofocus onClick={close}>
              Not now
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

const NONE = 'None of them is in a state in which this can be done.';

function Running({ started, ...props }: BulkDialogProps & { readonly started: Bulk }) {
  const queryKey = bulkKey(started.id);
  const {
    data: bulk = started,
    dataUpdatedAt,
    errorUpdatedAt,
  } = useQuery({
    queryKey,
    queryFn: () => answerOf(api.GET('/api/v1/bulk/{id}', { params: { path: { id: started.id } } })),
    staleTime: Infinity,
  });
  const isRunning = bulk.state === 'running';
  useFreshProgress(queryKey, isRunning, Math.max(dataUpdatedAt, errorUpdatedAt));
  return (
    <div className={classes.form}>
      <BulkProgress bulk={bulk} />
      <LeftOver {...props} bulk={bulk} />
      <p className="soft">
        {isRunning ? 'It goes on when you close this. ' : ''}
        <Link to="/bulk">All bulk operations</Link>
      </p>
      <div className={classes.buttons}>
        <Button variant="default" onClick={() => props.onClose(true)}>
          Close
        </Button>
      </div>
    </div>
  );
}
