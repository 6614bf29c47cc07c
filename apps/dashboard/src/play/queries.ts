import type { components } from '@weft/client';
import type { PlayFrame } from '@weft/contracts';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { liveStarted } from '../live/live';

export type PlayLayer = components['schemas']['PlayLayer'];
export type LoopItem = components['schemas']['LoopItem'];
export type LayerInput = components['schemas']['LayerInput'];
export type Flow = components['schemas']['Flow'];
export type FlowLayer = NonNullable<Flow['layers']>[number];

const path = (id: string) => ({ params: { path: { id } } });

export const playKey = (id: string) => ['play', id] as const;

export const playQuery = (id: string) =>
  queryOptions({
    queryKey: [...playKey(id), 'head'],
    queryFn: async () => {
      await liveStarted();
      return answerOf(api.GET('/api/v1/plays/{id}', path(id)));
    },
  });

export const layersQuery = (id: string) =>
  queryOptions({
    queryKey: [...playKey(id), 'layers'],
    queryFn: () => answerOf(api.GET('/api/v1/plays/{id}/layers', path(id))),
  });

/**
 * What a layer was given: it does not change as long as the layer is in this state, so the stream does not make it be read again.
 *
 * @param item of a loop; undefined: the one that failed, else the first
 */
export const inputQuery = (id: string, { ref, state }: Pick<PlayLayer, 'ref' | 'state'>, item: number | undefined) =>
  queryOptions({
    queryKey: ['input', id, ref, state, item],
    staleTime: Infinity,
    retry: false,
    queryFn: () => {
      const query = item === undefined ? {} : { item };
      return answerOf(api.GET('/api/v1/plays/{id}/layers/{ref}/input', { params: { path: { id, ref }, query } }));
    },
  });

export const framesQuery = (id: string) =>
  queryOptions({
    queryKey: [...playKey(id), 'frames'],
    queryFn: async () =>
      (await answerOf(api.GET('/api/v1/plays/{id}/events', path(id)))) as unknown as readonly PlayFrame[],
  });

/** The definition that the play follows: it never changes. */
export const versionQuery = (flowId: string, version: number) =>
  queryOptions({
    queryKey: ['flow', flowId, 'version', version],
    staleTime: Infinity,
    retry: false,
    queryFn: async () => {
      const params = { path: { flowId, version: String(version) } };
      return (await answerOf(api.GET('/api/v1/flows/{flowId}/versions/{version}', { params }))).flow;
    },
  });

export const approvalsQuery = (id: string) =>
  queryOptions({
    queryKey: [...playKey(id), 'approvals'],
    queryFn: async () => (await answerOf(api.GET('/api/v1/plays/{id}/approvals', path(id)))).items,
  });

export const waitingQuery = (id: string) =>
  queryOptions({
    queryKey: [...playKey(id), 'waiting'],
    retry: false,
    queryFn: () => answerOf(api.GET('/api/v1/plays/{id}/waiting', path(id))),
  });
