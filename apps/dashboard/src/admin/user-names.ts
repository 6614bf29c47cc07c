import { atLeast, specialist } from '@weft/access';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { firstPages } from '../api/first-pages';
import { may, useMe } from '../session/me';

/** Of the first 1,000 users; of others, ids are shown. */
export const userNamesQuery = queryOptions({
  queryKey: ['users', 'names'],
  staleTime: Infinity,
  queryFn: async () => {
    const all = await firstPages((query) => answerOf(api.GET('/api/v1/users', { params: { query } })));
    return new Map(all.map(({ id, name, email }) => [id, name ?? email]));
  },
});

/** Names of users by id, for those who may read them; else none. */
export function useUserNames(): ReadonlyMap<string, string> {
  const me = useMe();
  const mayRead = may(me, atLeast('admin'), specialist('audit_viewer'));
  const { data } = useQuery({ ...userNamesQuery, enabled: mayRead });
  return data ?? NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();
