import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';

interface Example {
  readonly playId: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Arguments with which the flow ran last; null when it never did, undefined while they are read. */
export function useExampleArgs(flowId: string): Example | null | undefined {
  const { data, isError } = useQuery({
    queryKey: ['flow', flowId, 'example-args'],
    gcTime: 0,
    queryFn: async (): Promise<Example | null> => {
      const { items } = await answerOf(api.GET('/api/v1/plays', { params: { query: { flowId, size: 1 } } }));
      const [last] = items;
      if (!last) return null;
      const { args } = await answerOf(api.GET('/api/v1/plays/{id}', { params: { path: { id: last.id } } }));
      return { playId: last.id, args: args ?? {} };
    },
  });
  return isError ? null : data;
}
