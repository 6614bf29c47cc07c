import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Once } from '../../admin/once';
import { answerOf, api } from '../../api/client';
import { Mark } from '../../flows/flow-marks';
import { Confirm } from '../../ui/confirm';
import { EmptyState } from '../../ui/empty-state';
import { ErrorNotice } from '../../ui/error-notice';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import type { Flow } from '../queries';
import { DeliveryLog } from './delivery-log';
import { triggersKey, triggersQuery, type Trigger } from './queries';
import classes from '../../ui/form.module.css';

const TriggerDialog = lazy(async () => ({ default: (await import('./trigger-dialog')).TriggerDialog }));

const SourceDialog = lazy(async () => ({ default: (await import('./source-dialog')).SourceDialog }));

const ListenDialog = lazy(async () => ({ default: (await import('./listen-dialog')).ListenDialog }));

type Question = { readonly what: 'rotate' | 'delete'; readonly trigger: Trigger };

/** Addresses of the flow, and what reads messages for it. */
export function TriggersTab({ flow }: { readonly flow: Flow }) {
  const queries = useQueryClient();
  const { data: triggers, error } = useQuery(triggersQuery(flow.id));
  const [open, setOpen] = useState<Trigger | 'new' | 'source' | null>(null);
  const [url, setUrl] = useState<string | null>(null);
  const [asking, setAsking] = useState<Question | null>(null);
  const [heard, setHeard] = useState<Trigger | null>(null);
  const [logId, setLogId] = useState<string | null>(null);
  const pathOf = (tid: string) => ({ params: { path: { flowId: flow.id, tid } } });
  const refresh = () => queries.invalidateQueries({ queryKey: triggersKey(flow.id) });
  const enable = useMutation({
    mutationFn: ({ id, enabled }: Trigger) =>
      answerOf(api.PATCH('/api/v1/flows/{flowId}/triggers/{tid}', { ...pathOf(id), body: { enabled: !enabled } })),
    onError: showError,
    onSettled: refresh,
  });
  const rotate = useMutation({
    mutationFn: (id: string) => answerOf(api.POST('/api/v1/flows/{flowId}/triggers/{tid}/rotate', pathOf(id))),
    onError: showError,
    onSuccess: (address) => setUrl(address.url),
  });
  const remove = useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE('/api/v1/flows/{flowId}/triggers/{tid}', pathOf(id))),
    onError: showError,
    onSettled: refresh,
  });
  if (error) return <ErrorNotice error={error} />;
  if (!triggers) return <Skeleton height={160} radius="md" />;
  const news = (
    <div className={classes.row}>
      <Button onClick={() => setOpen('new')}>New trigger …</Button>
      <Button variant="default" onClick={() => setOpen('source')}>
        Read messages …
      </Button>
    </div>
  );
  const opened =
    typeof open === 'object' && open !== null ? (triggers.find(({ id }) => id === open.id) ?? open) : undefined;
  const isSource = open === 'source' || (opened !== undefined && opened.type !== 'hook');
  const logged = triggers.find(({ id }) => id === logId) ?? triggers[0];
  return (
    <div className={classes.form}>
      {triggers.length === 0 ? (
        <EmptyState title="No trigger yet">
          <p>
            A trigger is an address of this flow: each delivery that another service sends there becomes one play. Or it
            reads: Kafka, SQS, lists, feeds and mail.
          </p>
          {news}
        </EmptyState>
      ) : (
        <>
          {news}
          <Table
            caption="Triggers"
            hideCaption
            isFlush
            columns={['Trigger', 'Sender', 'Changed', '']}
            wide={[2]}
            rows={triggers.map((trigger) => ({
              key: trigger.id,
              isCursor: triggers.length > 1 && trigger.id === logged?.id,
              cells: [
                <span key="name" className={classes.row}>
                  <strong>{trigger.name}</strong>
                  {!trigger.enabled && <Mark kind="off">Paused</Mark>}
                  {trigger.resting !== null && (
                    <Mark kind="bad" title={trigger.resting}>
                      Blocked
                    </Mark>
                  )}
                </span>,
                trigger.type === 'hook' ? trigger.verifier.type : <ReadingText key="source" trigger={trigger} />,
                <Time key="at" at={trigger.updatedAt} />,
                <div key="do" className={classes.row}>
                  {triggers.length > 1 && <Small onClick={() => setLogId(trigger.id)}>Log</Small>}
                  <Small onClick={() => setOpen(trigger)}>Edit …</Small>
                  {trigger.type === 'hook' && <Small onClick={() => setHeard(trigger)}>Listen …</Small>}
                  <Small onClick={() => enable.mutate(trigger)}>{trigger.enabled ? 'Pause' : 'Enable'}</Small>
                  {trigger.type === 'hook' && (
                    <Small onClick={() => setAsking({ what: 'rotate', trigger })}>New address …</Small>
                  )}
                  <Small onClick={() => setAsking({ what: 'delete', trigger })}>Delete …</Small>
                </div>,
              ],
            }))}
          />
          {logged && <DeliveryLog key={logged.id} trigger={logged} />}
        </>
      )}
      {open !== null && (
        <Suspense>
          {isSource ? (
            <SourceDialog flowId={flow.id} trigger={opened} onClose={() => setOpen(null)} />
          ) : (
            <TriggerDialog flowId={flow.id} trigger={opened} onMade={setUrl} onClose={() => setOpen(null)} />
          )}
        </Suspense>
      )}
      {heard && (
        <Suspense>
          <ListenDialog trigger={heard} onClose={() => setHeard(null)} />
        </Suspense>
      )}
      {url !== null && (
        <Once
          title="The address of the trigger"
          says="This is the only time that it is shown. Give it to the sender: who knows it can send deliveries."
          text={url}
          onClose={() => setUrl(null)}
        />
      )}
      {asking && (
        <Confirm
          title={asking.what === 'rotate' ? 'Make a new address?' : `Delete “${asking.trigger.name}”?`}
          action={asking.what === 'rotate' ? 'Make a new address' : 'Delete'}
          onConfirm={() => (asking.what === 'rotate' ? rotate : remove).mutate(asking.trigger.id)}
          onClose={() => setAsking(null)}
        >
          {asking.trigger.type === 'hook'
            ? 'The address that senders have now ends at once: what they send there is answered with 404.'
            : 'It reads no more, and how far it was is forgotten.'}
          {asking.what === 'rotate' && ' From then on the trigger runs the flow with your rights.'}
        </Confirm>
      )}
    </div>
  );
}

/** What is read, and how it goes. */
function ReadingText({ trigger: { type, source, reading } }: { readonly trigger: Trigger }) {
  const { state = 'starting', lag = null, error = null } = reading ?? {};
  const isBad = state === 'failing' || state === 'stopped';
  return (
    <span className={classes.row}>
      {type} · {source?.topic ?? source?.queueUrl ?? source?.url ?? source?.folder ?? source?.request?.appId}
      <span title={error?.message} {...(isBad && { 'data-state': 'FAIL', style: { color: 'var(--state)' } })}>
        {state}
      </span>
      {lag !== null && lag > 0 && <span className="num">{lag} unread</span>}
    </span>
  );
}

function Small({ children, onClick }: { readonly children: string; readonly onClick: () => void }) {
  return (
    <Button variant="default" size="compact-xs" onClick={onClick}>
      {children}
    </Button>
  );
}
