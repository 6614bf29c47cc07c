import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { flowKey } from '../queries';

export type Grant = components['schemas']['Grant'];

export const grantsKey = (flowId: string) => [...flowKey(flowId), 'grants'] as const;

export const grantsQuery = (flowId: string) =>
  queryOptions({
    queryKey: grantsKey(flowId),
    queryFn: async () => {
      const query = { resource_type: 'flow' as const, resource_id: flowId, size: 200 };
      return (await answerOf(api.GET('/api/v1/access/grants', { params: { query } }))).items;
    },
  });
