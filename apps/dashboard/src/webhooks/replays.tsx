import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { FormDialog } from '../ui/form-dialog';
import { Icon } from '../ui/icon';
import { Table } from '../ui/table';
import { exactTime, Time } from '../ui/time';
import { replaysKey, replaysQuery } from './queries';
import formClasses from '../ui/form.module.css';
import classes from './webhooks.module.css';

/** A stretch of time that is sent again, in the background. */
export function Replays({ webhookId }: { readonly webhookId: string }) {
  const { data, isFetching, refetch } = useQuery(replaysQuery(webhookId));
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={classes.section} aria-label="Replays">
      <div className={classes.line}>
        <h2>Send a time again</h2>
        <Button variant="default" onClick={() => setOpen(true)}>
          Choose a time …
        </Button>
        {data && data.length > 0 && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<Icon name="refresh" size={13} />}
            loading={isFetching}
            onClick={() => void refetch()}
          >
            Read again
          </Button>
        )}
      </div>
      {data && data.length > 0 && (
        <Table
          caption="The last replays"
          hideCaption
          isFlush
          columns={['State', 'From', 'To', 'Found', 'Sent again', 'Started']}
          wide={[1, 2]}
          rows={data.map(({ id, state, since, until, matched, changed, createdAt }) => ({
            key: id,
            cells: [
              state,
              exactTime(since),
              exactTime(until),
              <span key="m" className="num">
                {matched.toLocaleString()}
              </span>,
              <span key="c" className="num">
                {changed.toLocaleString()}
              </span>,
              <Time key="at" at={createdAt} />,
            ],
          }))}
        />
      )}
      {isOpen && <ReplayDialog webhookId={webhookId} onClose={() => setOpen(false)} />}
    </section>
  );
}

type Only = 'failed' | 'all';

function ReplayDialog({ webhookId, onClose }: { readonly webhookId: string; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [only, setOnly] = useState<Only>('failed');
  const start = useMutation({
    mutationFn: () => {
      const body = { since: new Date(since).toISOString(), until: new Date(until).toISOString(), only };
      return answerOf(api.POST('/api/v1/webhooks/{id}/replay', { params: { path: { id: webhookId } }, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: replaysKey(webhookId) });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Send a time again"
      help="docs/webhooks.md#replays"
      action="Send again"
      size="md"
      isReady={since !== '' && until !== ''}
      isPending={start.isPending}
      isDirty={since !== '' || until !== ''}
      error={start.error}
      onSubmit={() => start.mutate()}
      onClose={onClose}
    >
      <div className={formClasses.two}>
        <TextInput
          type="datetime-local"
          label="From"
          required
          data-autofocus
          value={since}
          error={faultOf(start.error, 'since')}
          onChange={(event) => setSince(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label="To"
          required
          value={until}
          error={faultOf(start.error, 'until')}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      </div>
      <SegmentedControl
        aria-label="Which events"
        data={[
          { value: 'failed', label: 'What was not delivered' },
          { value: 'all', label: 'Every event of plays' },
        ]}
        value={only}
        onChange={setOnly}
      />
      <p className="soft">Receivers know events by their id: one that they had already comes with the same id.</p>
    </FormDialog>
  );
}
