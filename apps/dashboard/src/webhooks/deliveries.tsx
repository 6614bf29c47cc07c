import { Button, SegmentedControl } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { Clock } from '../ui/clock';
import { Icon } from '../ui/icon';
import { Paged } from '../ui/paged';
import { showError } from '../ui/show-error';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { deliveriesKey, useDeliveries, type DeliveryState, type WebhookDelivery } from './queries';
import classes from './webhooks.module.css';

const STATES: readonly { value: DeliveryState | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
  { value: 'aborted', label: 'Given up' },
];
const COLOURS: Readonly<Record<DeliveryState, string>> = {
  pending: 'WAIT',
  delivered: 'DONE',
  failed: 'FAIL',
  aborted: 'SKIP',
};

/** What was sent, and what came back. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const queries = useQueryClient();
  const [state, setState] = useState<DeliveryState | 'all'>('all');
  const pages = useDeliveries(webhookId, state === 'all' ? null : state);
  const replay = useMutation({
    mutationFn: (delivery_id: string) => {
      const params = { path: { id: webhookId, delivery_id } };
      return answerOf(api.POST('/api/v1/webhooks/{id}/deliveries/{delivery_id}/replay', { params }));
    },
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: deliveriesKey(webhookId) }),
  });
  return (
    <section className={classes.section} aria-label="Deliveries">
      <div className={classes.line}>
        <h2>Deliveries</h2>
        <SegmentedControl aria-label="Deliveries in state" data={[...STATES]} value={state} onChange={setState} />
        <Button variant="subtle" color="gray" leftSection={<Icon name="refresh" size={13} />} onClick={pages.reload}>
          Read again
        </Button>
      </div>
      <Paged pages={pages}>
        {(deliveries) => (
          <Table
            caption="Deliveries"
            hideCaption
            isFlush
            columns={['State', 'Event', 'When', 'Play', 'Attempts', '']}
            wide={[3]}
            empty={state === 'all' ? 'Nothing was sent in the last seven days.' : 'There is none in this state.'}
            rows={deliveries.map((each) => ({
              key: each.id,
              cells: [
                <span key="state" data-state={COLOURS[each.state]} className={classes.state}>
                  {each.state === 'aborted' ? 'given up' : each.state}
                </span>,
                <code key="event">{each.event}</code>,
                <Time key="at" at={each.at} />,
                each.playId === null ? (
                  '–'
                ) : (
                  <Link key="play" to="/plays/$playId" params={{ playId: each.playId }}>
                    open
                  </Link>
                ),
                <Attempts key="attempts" delivery={each} />,
                each.state !== 'pending' && (
                  <Button
                    key="again"
                    variant="default"
                    size="compact-xs"
                    loading={replay.isPending && replay.variables === each.id}
                    onClick={() => replay.mutate(each.id)}
                  >
                    Send again
                  </Button>
                ),
              ],
            }))}
          />
        )}
      </Paged>
    </section>
  );
}

function Attempts({ delivery: { attempts, next_attempt } }: { readonly delivery: WebhookDelivery }) {
  const last = attempts.at(-1);
  if (!last) return <span className="soft">none yet</span>;
  return (
    <details>
      <summary>
        {attempts.length}, last: {last.error ?? last.status}
        {next_attempt !== null && (
          <>
            , next <Time at={next_attempt} />
          </>
        )}
      </summary>
      <ol className={classes.attempts}>
        {attempts.map(({ at, status, error, answer, duration_ms }) => (
          <li key={at}>
            <Time at={at} />: {status ?? 'no answer'}
            {error !== null && `, ${error}`}, after <Clock ms={duration_ms} />
            {answer !== null && answer !== '' && <pre>{answer}</pre>}
          </li>
        ))}
      </ol>
    </details>
  );
}
