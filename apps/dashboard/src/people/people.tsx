import { atLeast, specialist, type RouteRight } from '@weft/access';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { may, useMe } from '../session/me';

const PAGE = 200;
const MAX_PAGES = 5;

/** Who may read the users of the company: docs/http-api.md §3. */
const READS_PEOPLE: readonly RouteRight[] = [atLeast('admin'), specialist('audit_viewer')];

const peopleQuery = queryOptions({
  queryKey: ['people'],
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

/** Names by id, for those who may know them; null while they are read, or for who may not. */
export function usePeople(): ReadonlyMap<string, string> | null {
  const me = useMe();
  const { data } = useQuery({ ...peopleQuery, enabled: may(me, ...READS_PEOPLE) });
  return data ?? null;
}

/** A user as others know them; the id for who may not read users. */
export function Person({ id }: { readonly id: string }) {
  const me = useMe();
  const people = usePeople();
  if (id === me.user.id) return <>you</>;
  const name = people?.get(id);
  return name === undefined ? (
    <code className="soft" title="A user of your company">
      {id}
    </code>
  ) : (
    <>{name}</>
  );
}
