import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';

export type Group = components['schemas']['Group'];

export const GROUPS_KEY = ['groups'] as const;

/** Names to choose from and to show. */
export const groupsQuery = queryOptions({
  queryKey: [...GROUPS_KEY, 'names'],
  queryFn: async () => (await answerOf(api.GET('/api/v1/groups', { params: { query: { size: 200 } } }))).items,
});
