import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { firstPages } from '../../api/first-pages';
import { flowKey } from '../queries';

export type Grant = components['schemas']['Grant'];

export const grantsKey = (flowId: string) => [...flowKey(flowId), 'grants'] as const;

export const grantsQuery = (flowId: string) =>
  queryOptions({
    queryKey: grantsKey(flowId),
    queryFn: () =>
      firstPages((page) => {
        const query = { resource_type: 'flow' as const, resource_id: flowId, ...page };
        return answerOf(api.GET('/api/v1/access/grants', { params: { query } }));
      }),
  });
