import { Button, Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Once } from '../admin/once';
import { answerOf, api } from '../api/client';
import { FlowName } from '../flows/flow-name';
import { Confirm } from '../ui/confirm';
import { ErrorNotice } from '../ui/error-notice';
import { Facts } from '../ui/facts';
import { Page } from '../ui/page';
import { showError } from '../ui/show-error';
import { Time } from '../ui/time';
import { pairsText } from '../values/json-text';
import { Deliveries } from './deliveries';
import { deliveriesKey, webhookQuery, WEBHOOKS_KEY } from './queries';
import { Replays } from './replays';
import type { Webhook } from './webhook-form';
import { WebhookMarks } from './webhooks-page';
import classes from '../ui/form.module.css';

const WebhookDialog = lazy(async () => ({ default: (await import('./webhook-dialog')).WebhookDialog }));

export function WebhookPage() {
  const { webhookId } = useParams({ from: '/shell/webhooks/$webhookId' });
  const { data, error, refetch } = useQuery(webhookQuery(webhookId));
  if (data) return <OneWebhook key={webhookId} webhook={data} />;
  return (
    <Page title="Webhook" help="docs/webhooks.md">
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />}
    </Page>
  );
}

type Open = 'edit' | 'rotate' | 'delete';

function OneWebhook({ webhook }: { readonly webhook: Webhook }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const path = { params: { path: { id: webhook.id } } };
  const refresh = () => queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
  const test = useMutation({
    mutationFn: () => answerOf(api.POST('/api/v1/webhooks/{id}/test', path)),
    onError: showError,
    onSuccess: ({ state }) => {
      void queries.invalidateQueries({ queryKey: deliveriesKey(webhook.id) });
      const words = state === 'delivered' ? 'The receiver has taken the test event.' : 'The test event was not taken.';
      notifications.show({ message: words, color: state === 'delivered' ? 'teal' : 'red' });
    },
  });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => answerOf(api.PATCH('/api/v1/webhooks/{id}', { ...path, body: { enabled } })),
    onError: showError,
    onSettled: refresh,
  });
  const rotate = useMutation({
    mutationFn: () => answerOf(api.POST('/api/v1/webhooks/{id}/rotate', path)),
    onError: showError,
    onSuccess: (made) => setSecret(made.secret ?? made.public_key ?? null),
  });
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/api/v1/webhooks/{id}', path)),
    onError: showError,
    onSuccess: () => {
      void navigate({ to: '/webhooks' });
      queries.removeQueries({ queryKey: [...WEBHOOKS_KEY, webhook.id] });
      void refresh();
    },
  });
  const commands = (
    <>
      <WebhookMarks webhook={webhook} />
      <Button loading={test.isPending} onClick={() => test.mutate()}>
        Send a test event
      </Button>
      <Button variant="default" onClick={() => setOpen('edit')}>
        Edit …
      </Button>
      <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate(!webhook.enabled)}>
        {webhook.enabled ? 'Pause' : 'Enable'}
      </Button>
      <Button variant="default" onClick={() => setOpen('rotate')}>
        New secret …
      </Button>
      <Button variant="default" color="red" onClick={() => setOpen('delete')}>
        Delete …
      </Button>
    </>
  );
  return (
    <Page title={webhook.name} help="docs/webhooks.md" aside={commands}>
      <section className="panel" style={{ padding: 'var(--mantine-spacing-sm) var(--mantine-spacing-md)' }}>
        <Facts facts={factsOf(webhook)} />
      </section>
      <Deliveries webhookId={webhook.id} />
      <Replays webhookId={webhook.id} />
      <Suspense>{open === 'edit' && <WebhookDialog webhook={webhook} onClose={() => setOpen(null)} />}</Suspense>
      {open === 'rotate' && (
        <Confirm
          title="Make a new secret?"
          action="Make a new secret"
          onConfirm={() => rotate.mutate()}
          onClose={() => setOpen(null)}
        >
          For 24 hours events are signed with both, so that the receiver can change its own at any time.
        </Confirm>
      )}
      {open === 'delete' && (
        <Confirm
          title={`Delete “${webhook.name}”?`}
          action="Delete"
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(null)}
        >
          Nothing is posted to it any more, and its deliveries are gone. Pausing it can be taken back.
        </Confirm>
      )}
      {secret !== null && (
        <Once
          title="What signatures are verified with"
          says="This is the only time that it is shown. The receiver needs it within 24 hours."
          text={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </Page>
  );
}

function factsOf(webhook: Webhook) {
  const labels = pairsText(webhook.labels ?? {});
  return [
    ['Address', webhook.url],
    ['Events', <code key="events">{webhook.events.join(', ')}</code>],
    ...(webhook.flow_ids === null
      ? []
      : ([
          [
            'Flows',
            <span key="flows" className={classes.row}>
              {webhook.flow_ids.map((id) => (
                <FlowName key={id} id={id} />
              ))}
            </span>,
          ],
        ] as const)),
    ...(labels === '' ? [] : ([['Labels', labels]] as const)),
    ['Signed with', webhook.signing === 'v1' ? 'a shared secret' : 'a key pair'],
    ['Pace', paceWords(webhook)],
    ...(webhook.failing_since === null
      ? []
      : ([['Failing since', <Time key="since" at={webhook.failing_since} />]] as const)),
    ...(webhook.disabled_reason === null ? [] : ([['Disabled because', webhook.disabled_reason]] as const)),
  ] as const;
}

function paceWords({ ordered, max_in_flight, rate_per_second }: Webhook): string {
  const pace = ordered ? 'one after the other, in order' : `${max_in_flight} at once`;
  return rate_per_second === null ? pace : `${pace}, ${rate_per_second} a second`;
}
