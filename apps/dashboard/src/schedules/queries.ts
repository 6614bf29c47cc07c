import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { useReadAgain } from '../live/use-read-again';

export type Schedule = components['schemas']['ScheduledJob'];
export type ScheduleBody = components['schemas']['CreateScheduleBody'];

const KEY = ['schedules'] as const;
const FRESH_MS = 2_000;

/** Those of the company, or of one flow. */
export const schedulesQuery = (flowId?: string) =>
  queryOptions({
    queryKey: [...KEY, 'list', flowId ?? null],
    queryFn: async () => {
      const query = flowId === undefined ? {} : { flow_id: flowId };
      return (await answerOf(api.GET('/api/v1/scheduler/jobs', { params: { query } }))).jobs;
    },
  });

export const slotsQuery = (schedule: string, timezone: string) =>
  queryOptions({
    queryKey: ['slots', schedule, timezone],
    gcTime: 0,
    queryFn: async () =>
      (await answerOf(api.GET('/api/v1/scheduler/preview', { params: { query: { schedule, timezone } } }))).next,
  });

/** Reads schedules again when a play of one has moved: not by the clock. */
export function useFreshSchedules(): void {
  useReadAgain([KEY], ({ play }) => play?.trigger === 'schedule', FRESH_MS);
}
