import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import type { OverviewWindow } from '../../overview/overview-search';
import { flowKey } from '../queries';

export type OneFlowFigures = components['schemas']['OneFlowFigures'];
export type LayerFigures = OneFlowFigures['layers'][number];

export const figuresKey = (flowId: string) => [...flowKey(flowId), 'figures'] as const;

/** What its plays did in the window, and its layers in the last 24 hours. */
export const figuresQuery = (flowId: string, window: OverviewWindow = '24h') =>
  queryOptions({
    queryKey: [...figuresKey(flowId), window],
    queryFn: () =>
      answerOf(api.GET('/api/v1/analytics/flows/{flowId}', { params: { path: { flowId }, query: { window } } })),
  });
