import { answerOf, api } from '../api/client';
import { bodyOf, type Layers } from './draft';

/** What the edited flow would have done in plays that have ended. */
export interface Backtest {
  readonly compared: number;
  readonly same: number;
  readonly different: number;
  readonly unresolved: number;
  readonly items: readonly BacktestItem[];
}

export interface BacktestItem {
  readonly playId: string;
  readonly result: 'same' | 'different' | 'unresolved';
  readonly differences: readonly {
    readonly ref: string;
    readonly path: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
  /** Layers that would be called otherwise than then: what they would give is not known. */
  readonly missing: readonly string[];
}

type Post = (
  path: '/api/v1/flows/{flowId}/backtest',
  init: { params: { path: { flowId: string } }; body: { document: unknown; last: number } },
) => Promise<{ data?: Backtest; error?: unknown; response: Response }>;
const post = api.POST as unknown as Post;

/** Rehearses the draft over the last plays, with the outputs that they recorded. */
export async function runBacktest(flowId: string, layers: Layers, last: number): Promise<Backtest> {
  const params = { path: { flowId } };
  const exported = await answerOf(api.GET('/api/v1/flows/{flowId}/export', { params }));
  const document = { ...exported, layers: layers.map(bodyOf).map(({ id: _, ...layer }) => layer) };
  return answerOf(post('/api/v1/flows/{flowId}/backtest', { params, body: { document, last } }));
}
