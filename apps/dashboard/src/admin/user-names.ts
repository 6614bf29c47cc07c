import { atLeast, specialist } from '@weft/access';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { may, useMe } from '../session/me';

const PAGE = 200;
/** Beyond this many users, ids are shown. */
const MAX_PAGES = 5;

export const userNamesQuery = queryOptions({
  queryKey: ['users', 'names'],
  staleTime: Infinity,
  queryFn: async () => {
    const names = new Map<string, string>();
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = { size: PAGE, ...(cursor !== undefined && { cursor }) };
      const { items, nextCursor } = await answerOf(api.GET('/api/v1/users', { params: { query } }));
      for (const { id, name, email } of items) names.set(id, name ?? email);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    return names;
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
