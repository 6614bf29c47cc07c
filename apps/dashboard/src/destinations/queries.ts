import type { components } from '@weft/client';
import { answerOf, api } from '../api/client';
import { usePages } from '../ui/use-pages';

export type Destination = components['schemas']['Destination'];
export type RateLimit = components['schemas']['RateLimit'];

export const DESTINATIONS_KEY = ['destinations'] as const;

export function useDestinations() {
  return usePages(DESTINATIONS_KEY, (cursor) =>
    answerOf(api.GET('/api/v1/destinations', { params: { query: { size: 50, ...cursor } } })),
  );
}

export const setLimit = (id: string, rate_limit: RateLimit | null) =>
  answerOf(api.PATCH('/api/v1/destinations/{id}', { params: { path: { id } }, body: { rate_limit } }));

export const pause = (id: string) =>
  answerOf(api.POST('/api/v1/destinations/{id}/pause', { params: { path: { id } } }));

export const release = (id: string) =>
  answerOf(api.POST('/api/v1/destinations/{id}/release', { params: { path: { id } } }));
