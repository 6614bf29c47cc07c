import type { components } from '@weft/client';
import { answerOf, api } from '../api/client';
import { bodyOf, type Layers } from './draft';

export type Backtest = components['schemas']['Backtest'];

/** A difference in a step of an agent: which step it is, and where in what it asks; null: it is in something else. */
export function stepIn(path: string): { readonly step: string; readonly place: string } | null {
  const [, step, place = ''] = /^\$steps\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
  return step === undefined ? null : { step, place };
}

/** Rehearses the draft over the last plays, with the outputs that they recorded. */
export async function runBacktest(flowId: string, layers: Layers, last: number): Promise<Backtest> {
  const params = { path: { flowId } };
  const exported = await answerOf(api.GET('/api/v1/flows/{flowId}/export', { params }));
  const document = { ...exported, layers: layers.map(bodyOf).map(({ id: _, ...layer }) => layer) };
  return answerOf(api.POST('/api/v1/flows/{flowId}/backtest', { params, body: { document, last } }));
}
