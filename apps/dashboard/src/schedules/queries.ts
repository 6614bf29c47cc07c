import type { components } from '@weft/client';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { answerOf, api } from '../api/client';
import { useLiveMessages } from '../live/live';

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
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const refresh = (): void => {
    timer.current = undefined;
    void queries.invalidateQueries({ queryKey: KEY });
  };
  useLiveMessages(({ play }) => {
    if (play?.trigger === 'schedule') timer.current ??= setTimeout(refresh, FRESH_MS);
  }, refresh);
  useEffect(() => () => clearTimeout(timer.current), []);
}
