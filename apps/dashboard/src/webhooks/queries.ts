import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { usePages } from '../ui/use-pages';

export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type DeliveryState = WebhookDelivery['state'];

export const WEBHOOKS_KEY = ['webhooks'] as const;

/** All of them: a company has at most 100. */
export const webhooksQuery = queryOptions({
  queryKey: [...WEBHOOKS_KEY, 'list'],
  queryFn: async () => (await answerOf(api.GET('/api/v1/webhooks', { params: { query: { size: 200 } } }))).items,
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, id],
    queryFn: () => answerOf(api.GET('/api/v1/webhooks/{id}', { params: { path: { id } } })),
  });

export const deliveriesKey = (id: string) => [...WEBHOOKS_KEY, id, 'deliveries'] as const;

export function useDeliveries(id: string, state: DeliveryState | null) {
  return usePages([...deliveriesKey(id), state], (cursor) => {
    const query = { size: 50, ...(state !== null && { state }), ...cursor };
    return answerOf(api.GET('/api/v1/webhooks/{id}/deliveries', { params: { path: { id }, query } }));
  });
}

export const replaysKey = (id: string) => [...WEBHOOKS_KEY, id, 'replays'] as const;

export const replaysQuery = (id: string) =>
  queryOptions({
    queryKey: replaysKey(id),
    queryFn: async () => {
      const params = { path: { id }, query: { size: 5 } };
      return (await answerOf(api.GET('/api/v1/webhooks/{id}/replays', { params }))).items;
    },
  });
