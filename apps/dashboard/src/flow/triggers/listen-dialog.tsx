import { Button, Loader } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answerOf, api } from '../../api/client';
import { bytesText } from '../../ui/bytes';
import { Dialog } from '../../ui/dialog';
import { ErrorNotice } from '../../ui/error-notice';
import { Time } from '../../ui/time';
import { ValueTree } from '../../values/value-tree';
import { triggersKey, type Trigger } from './queries';
import classes from '../../ui/form.module.css';

const LOOK_EVERY_MS = 1_500;

/** Listens for one call of the sender, and shows what arrived. */
export function ListenDialog({ trigger, onClose }: { readonly trigger: Trigger; readonly onClose: () => void }) {
  const { id: tid, flowId } = trigger;
  const queries = useQueryClient();
  const params = { path: { flowId, tid } };
  const {
    mutate,
    data: begun,
    error,
  } = useMutation({
    mutationFn: () => answerOf(api.POST('/api/v1/flows/{flowId}/triggers/{tid}/listen', { params })),
  });
  useEffect(() => mutate(), [mutate]);
  const { data: now } = useQuery({
    queryKey: ['trigger', tid, 'listening'],
    enabled: begun !== undefined,
    gcTime: 0,
    staleTime: 0,
    queryFn: () => answerOf(api.GET('/api/v1/flows/{flowId}/triggers/{tid}', { params })),
    refetchInterval: ({ state }) => (state.data?.listeningUntil === null ? false : LOOK_EVERY_MS),
  });
  const listens = now?.listeningUntil !== null;
  const heard = listens ? null : now.sample;
  const close = (): void => {
    void queries.invalidateQueries({ queryKey: triggersKey(flowId) });
    onClose();
  };
  return (
    <Dialog onClose={close} title={`Listen to “${trigger.name}”`} size="lg">
      <div className={classes.form} aria-live="polite">
        {error && <ErrorNotice error={error} />}
        {!error && !begun && (
          <p>
            <Loader size="xs" mr="xs" />
            It begins to listen.
          </p>
        )}
        {!error && begun && listens && (
          <p>
            <Loader size="xs" mr="xs" />
            Send something to the address now, for example a test of the sender. The next call within five minutes is
            shown here, also one that cannot be verified.
          </p>
        )}
        {heard && <Heard sample={heard} isSigned={trigger.verifier.type !== 'none'} />}
        <div className={classes.buttons}>
          <Button data-autofocus onClick={close}>
            {heard ? 'Done' : 'Close'}
          </Button>
          {heard && (
            <Button variant="default" onClick={() => mutate(undefined, { onSuccess: () => void refresh(tid) })}>
              Listen again
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );

  function refresh(id: string) {
    return queries.resetQueries({ queryKey: ['trigger', id, 'listening'] });
  }
}

interface HeardProps {
  readonly sample: NonNullable<Trigger['sample']>;
  /** The trigger asks for a proof of who sends. */
  readonly isSigned: boolean;
}

function Heard({ sample, isSigned }: HeardProps) {
  const { method, verified, bytes, receivedAt, isComplete, headers, query, body } = sample;
  return (
    <>
      <p>
        <strong>{method}</strong> with {bytesText(bytes)}, <Time at={receivedAt} />.{' '}
        {verified ? (
          isSigned && 'It was proven who sent it.'
        ) : (
          <span data-state="FAIL" style={{ color: 'var(--state)' }}>
            It could not be proven who sent it: it was answered with 401, and nothing was run. Look at the secret and at
            the type of the sender.
          </span>
        )}
      </p>
      {isComplete ? (
        <ValueTree value={{ method, body, headers, query }} label="What arrived" expression="$hook" />
      ) : (
        <p className="soft">It is too large to be shown.</p>
      )}
      <p className="soft">
        It is the sample of the trigger: its form shows it. Credentials are hidden. The menu of a value copies its
        expression.
      </p>
    </>
  );
}
