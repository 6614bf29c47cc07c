import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Once } from '../admin/once';
import { Mark } from '../flows/flow-marks';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { webhooksQuery } from './queries';
import type { Webhook } from './webhook-form';
import classes from '../ui/form.module.css';

const WebhookDialog = lazy(async () => ({ default: (await import('./webhook-dialog')).WebhookDialog }));

/** Where Weft posts what happens. */
export function WebhooksPage() {
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery);
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const make = <Button onClick={() => setMaking(true)}>New webhook …</Button>;
  return (
    <Page title="Webhooks" help="docs/webhooks.md" aside={webhooks && webhooks.length > 0 && make}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!webhooks && !error && <Skeleton height={160} radius="md" />}
      {webhooks?.length === 0 && (
        <EmptyState title="No webhook yet">
          <p>
            A webhook posts what happens to plays, flows and schedules to an address of yours, signed, at least once.
          </p>
          {make}
        </EmptyState>
      )}
      {webhooks && webhooks.length > 0 && (
        <Table
          caption="Webhooks"
          hideCaption
          isFlush
          columns={['Webhook', 'Address', 'Events', 'Made']}
          wide={[2, 3]}
          rows={webhooks.map((webhook) => ({
            key: webhook.id,
            cells: [
              <span key="name" className={classes.row}>
                <Link to="/webhooks/$webhookId" params={{ webhookId: webhook.id }}>
                  {webhook.name}
                </Link>
                <WebhookMarks webhook={webhook} />
              </span>,
              <span key="url" style={{ overflowWrap: 'anywhere' }}>
                {webhook.url}
              </span>,
              <code key="events">{webhook.events.join(', ')}</code>,
              <Time key="at" at={webhook.created_at} />,
            ],
          }))}
        />
      )}
      <Suspense>{isMaking && <WebhookDialog onMade={setSecret} onClose={() => setMaking(false)} />}</Suspense>
      {secret !== null && (
        <Once
          title="What signatures are verified with"
          says="This is the only time that it is shown. The receiver needs it."
          text={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </Page>
  );
}

export function WebhookMarks({ webhook }: { readonly webhook: Webhook }) {
  return (
    <>
      {!webhook.enabled && (
        <Mark kind="off" title={webhook.disabled_reason ?? undefined}>
          Paused
        </Mark>
      )}
      {webhook.failing_since !== null && <Mark kind="bad">Failing</Mark>}
    </>
  );
}
