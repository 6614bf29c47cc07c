import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';

export type KeptSample = components['schemas']['Sample'];

export const samplesQuery = (flowId: string) =>
  queryOptions({
    queryKey: ['flow', flowId, 'samples'],
    staleTime: Infinity,
    retry: false,
    queryFn: async () =>
      (await answerOf(api.GET('/api/v1/flows/{flowId}/samples', { params: { path: { flowId } } }))).items,
  });
