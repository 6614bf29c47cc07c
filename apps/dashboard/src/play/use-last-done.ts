import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import type { Play } from '../plays/play';

/** The newest play of the same flow that went well, other than this one. */
export function useLastDone({ id, flowId }: Play): string | null {
  const { data } = useQuery({
    queryKey: ['play', id, 'last-done'],
    staleTime: Infinity,
    queryFn: async () => {
      const query = { flowId, state: ['DONE' as const], size: 2 };
      const { items } = await answerOf(api.GET('/api/v1/plays', { params: { query } }));
      return items.find((each) => each.id !== id)?.id ?? null;
    },
  });
  return data ?? null;
}
