import type { components } from '@weft/client';
import { answerOf, api } from '../api/client';
import { bodyOf, type Layers } from './draft';

export type Backtest = components['schemas']['Backtest'];

/** Rehearses the draft over the last plays, with the outputs that they recorded. */
export async function runBacktest(flowId: string, layers: Layers, last: number): Promise<Backtest> {
  const params = { path: { flowId } };
  const exported = await answerOf(api.GET('/api/v1/flows/{flowId}/export', { params }));
  const document = { ...exported, layers: layers.map(bodyOf).map(({ id: _, ...layer }) => layer) };
  return answerOf(api.POST('/api/v1/flows/{flowId}/backtest', { params, body: { document, last } }));
}
