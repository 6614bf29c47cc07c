import { Button, Progress } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { showError } from '../ui/show-error';
import { abortBulk, bulkKey, BULKS_KEY, lookedAt, progressText, type Bulk } from './bulk';
import classes from './bulk.module.css';

/** How far it is, and while it runs the way to stop it. */
export function BulkProgress({ bulk }: { readonly bulk: Bulk }) {
  const queries = useQueryClient();
  const abort = useMutation({
    mutationFn: () => abortBulk(bulk.id),
    onError: showError,
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: bulkKey(bulk.id) });
      void queries.invalidateQueries({ queryKey: BULKS_KEY });
    },
  });
  const isRunning = bulk.state === 'running';
  const share = bulk.matched === 0 ? 100 : (lookedAt(bulk) / bulk.matched) * 100;
  return (
    <div className={classes.progress} data-bulk={bulk.state}>
      <Progress value={isRunning ? share : 100} color={colourOf(bulk)} aria-label="How far it is" />
      <p className="num" role="status">
        {progressText(bulk)}
        {bulk.state === 'aborted' && '; the rest was stopped'}.
      </p>
      {isRunning && (
        <Button variant="default" loading={abort.isPending} onClick={() => abort.mutate()}>
          Stop
        </Button>
      )}
    </div>
  );
}

function colourOf({ state, failed }: Bulk): string {
  if (failed > 0) return 'var(--state-fail)';
  return state === 'done' ? 'var(--state-done)' : state === 'aborted' ? 'var(--state-on_hold)' : 'iris';
}
