import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { usePages } from '../../ui/use-pages';
import { flowKey } from '../queries';

export type Trigger = components['schemas']['Trigger'];
export type TriggerBody = components['schemas']['CreateTriggerBody'];
export type VerifierType = NonNullable<TriggerBody['verifier']>['type'];
export type Delivery = components['schemas']['Delivery'];

export const triggersKey = (flowId: string) => [...flowKey(flowId), 'triggers'] as const;

/** All of them: a flow has at most 50. */
export const triggersQuery = (flowId: string) =>
  queryOptions({
    queryKey: triggersKey(flowId),
    queryFn: async () => {
      const params = { path: { flowId }, query: { size: 200 } };
      return (await answerOf(api.GET('/api/v1/flows/{flowId}/triggers', { params }))).items;
    },
  });

export const deliveriesKey = (tid: string) => ['trigger', tid, 'deliveries'] as const;

export function useDeliveries(flowId: string, tid: string) {
  return usePages(deliveriesKey(tid), (cursor) => {
    const params = { path: { flowId, tid }, query: { size: 20, ...cursor } };
    return answerOf(api.GET('/api/v1/flows/{flowId}/triggers/{tid}/deliveries', { params }));
  });
}
