import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';

export type Module = components['schemas']['Module'];

/** What layers can do: the same until the page is loaded anew. */
export const modulesQuery = queryOptions({
  queryKey: ['modules'],
  staleTime: Infinity,
  queryFn: async () => (await answerOf(api.GET('/api/v1/modules'))).items,
});
