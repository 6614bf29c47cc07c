import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { atLeast } from '@weft/access';
import { isFinal } from '@weft/contracts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { may, useMe } from '../session/me';
import { Confirm } from '../ui/confirm';
import { showError } from '../ui/show-error';
import type { Play } from './play';
import classes from './plays.module.css';

interface BulkBarProps {
  readonly selected: ReadonlySet<string>;
  readonly rows: readonly Play[];
  readonly onClear: () => void;
}

type Action = 'cancel' | 'retry';

/** Commands on the selected plays, for those who may command all plays. */
export function BulkBar({ selected, rows, onClear }: BulkBarProps) {
  const me = useMe();
  const [isCancelling, setCancelling] = useState(false);
  const command = useMutation({
    mutationFn: (action: Action) => answerOf(api.POST('/api/v1/plays/bulk', { body: { action, ids: [...selected] } })),
    onError: showError,
    onSuccess: ({ changed, skipped }, action) => {
      const done = action === 'cancel' ? 'cancelled' : 'retried';
      notifications.show({ message: `${changed} ${done}${skipped > 0 ? `, ${skipped} left as they were` : ''}.` });
      onClear();
    },
  });
  if (selected.size === 0) return null;
  const chosen = rows.filter(({ id }) => selected.has(id));
  const open = chosen.filter(({ state }) => !isFinal(state)).length;
  const failed = chosen.filter(({ state }) => state === 'FAIL').length;
  return (
    <div className={`panel ${classes.bulk}`} role="region" aria-label="Selected plays">
      <span>{selected.size} selected</span>
      {may(me, atLeast('editor')) && (
        <>
          <Button disabled={failed === 0} loading={command.isPending} onClick={() => command.mutate('retry')}>
            Retry {failed} failed
          </Button>
          <Button
            variant="default"
            disabled={open === 0}
            loading={command.isPending}
            onClick={() => setCancelling(true)}
          >
            Cancel {open} open …
          </Button>
        </>
      )}
      <Button variant="subtle" color="gray" onClick={onClear}>
        Clear
      </Button>
      {isCancelling && (
        <Confirm
          title={open === 1 ? 'Cancel 1 play?' : `Cancel ${open} plays?`}
          action={open === 1 ? 'Cancel it' : `Cancel ${open} plays`}
          onConfirm={() => command.mutate('cancel')}
          onClose={() => setCancelling(false)}
        >
          What they have done stays done; the rest is not done.
        </Confirm>
      )}
    </div>
  );
}
