import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client';
import { useReadAgain } from '../../live/use-read-again';
import { bytesText } from '../../ui/bytes';
import { Paged } from '../../ui/paged';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { deliveriesKey, useDeliveries, type Delivery, type Trigger } from './queries';

const STATES: Readonly<Record<Delivery['outcome'], string>> = {
  accepted: 'DONE',
  duplicate: 'SKIP',
  skipped: 'SKIP',
  refused: 'FAIL',
};
const FRESH_MS = 1_000;

/** What arrived and was verified, the newest first. */
export function DeliveryLog({ trigger }: { readonly trigger: Trigger }) {
  const { id: tid, flowId } = trigger;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const pages = useDeliveries(flowId, tid);
  useFreshLog(trigger);
  const replay = useMutation({
    mutationFn: (did: string) => {
      const params = { path: { flowId, tid, did } };
      return answerOf(api.POST('/api/v1/flows/{flowId}/triggers/{tid}/deliveries/{did}/replay', { params }));
    },
    onError: showError,
    onSuccess: (answer) => {
      void queries.invalidateQueries({ queryKey: deliveriesKey(tid) });
      if ('playId' in answer) void navigate({ to: '/plays/$playId', params: { playId: String(answer.playId) } });
      else notifications.show({ message: 'Its condition is false: nothing was run.' });
    },
  });
  return (
    <Paged pages={pages}>
      {(deliveries) => (
        <Table
          caption={`Deliveries to “${trigger.name}”`}
          columns={['Outcome', 'Received', 'Id', 'Type', 'Size', 'Play', '']}
          wide={[2, 3, 4]}
          empty="Nothing has arrived yet. Deliveries that cannot be verified are counted, and not listed."
          rows={deliveries.map((each) => ({
            key: each.id,
            cells: [
              <span
                key="o"
                data-state={STATES[each.outcome]}
                style={{ color: 'var(--state)' }}
                title={each.error?.message}
              >
                {each.outcome}
                {each.error && `: ${each.error.code}`}
              </span>,
              <Time key="at" at={each.receivedAt} />,
              <code key="id">{each.dedupeId}</code>,
              each.contentType,
              <span key="bytes" className="num">
                {bytesText(each.bytes)}
              </span>,
              each.playId === null ? (
                '–'
              ) : (
                <Link key="play" to="/plays/$playId" params={{ playId: each.playId }}>
                  open
                </Link>
              ),
              each.replayable && (
                <Button
                  key="again"
                  variant="default"
                  size="compact-xs"
                  loading={replay.isPending && replay.variables === each.id}
                  onClick={() => replay.mutate(each.id)}
                >
                  Run again
                </Button>
              ),
            ],
          }))}
        />
      )}
    </Paged>
  );
}

/** Reads the log again when a delivery has become a play: not by the clock. */
function useFreshLog({ id, flowId }: Trigger): void {
  useReadAgain(
    [deliveriesKey(id)],
    ({ play, oldState }) => play?.trigger === 'hook' && play.flowId === flowId && oldState === null,
    FRESH_MS,
  );
}
