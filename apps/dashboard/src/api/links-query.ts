import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client';
import { firstPages } from './first-pages';

/** Links of the company to choose from, for those who may read all of them: the newest 1,000. */
export const linksQuery = queryOptions({
  queryKey: ['integrations', 'names'],
  queryFn: () => firstPages((query) => answerOf(api.GET('/api/v1/integrations', { params: { query } }))),
});
