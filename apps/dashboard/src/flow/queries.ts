import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';

export type Flow = components['schemas']['Flow'];

/** All that is read about one flow begins with this: a change of the flow makes all of it old. */
export const flowKey = (id: string) => ['flow', id] as const;

export const flowQuery = (id: string) =>
  queryOptions({
    queryKey: [...flowKey(id), 'head'],
    queryFn: () => answerOf(api.GET('/api/v1/flows/{id}', { params: { path: { id } } })),
  });
