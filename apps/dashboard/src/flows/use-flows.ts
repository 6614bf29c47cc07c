import type { components } from '@weft/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { answerOf, api } from '../api/client';
import type { Play } from '../plays/play';
import { useLivePlays } from '../plays/use-plays';
import { may, useMe } from '../session/me';
import { FIGURES } from '../shell/navigation';
import { usePages } from '../ui/use-pages';
import { listQuery, type FlowsSearch } from './flows-search';
import { lastPlays } from './last-plays';

export type FlowFigures = components['schemas']['FlowFigures'];

const PAGE = 50;
const ALL_PLAYS = {};

/** The list of the filter, page by page. */
export function useFlows(search: FlowsSearch) {
  return usePages(['flows', 'list', search], (cursor) => {
    const query = { ...listQuery(search), size: PAGE, ...cursor };
    return answerOf(api.GET('/api/v1/flows', { params: { query } }));
  });
}

export interface LastPlays {
  readonly of: ReadonlyMap<string, Play>;
  /** A flow without one has never run: all plays of the company are known. */
  readonly areAll: boolean;
}

/** The last play of each flow that ran lately: read once, then kept by the stream. Null while it is read. */
export function useLastPlays(): LastPlays | null {
  const { list } = useLivePlays(ALL_PLAYS);
  return useMemo(
    () => list && { of: lastPlays([...list.rows, ...list.newer.values()]), areAll: list.nextCursor === null },
    [list],
  );
}

/** What flows did in the last 24 hours, by id, for those who may read figures. */
export function useFlowFigures(): ReadonlyMap<string, FlowFigures> | null {
  const me = useMe();
  const { data } = useQuery({
    queryKey: ['flows', 'figures'],
    enabled: may(me, ...FIGURES),
    queryFn: async () => {
      const query = { window: '24h' as const, size: 200 };
      const { items } = await answerOf(api.GET('/api/v1/analytics/flows', { params: { query } }));
      return new Map(items.map((each) => [each.flowId, each]));
    },
  });
  return data ?? null;
}
