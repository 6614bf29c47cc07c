import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { isReference } from '../values/reference';
import type { DraftLayer, Layers } from './draft';
import type { Known } from './expression';
import type { Schema } from './schema-reading';

export interface Sample {
  readonly playId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly outs: ReadonlyMap<string, unknown>;
}

/** Arguments and outputs of the last play of the flow that went well; null when there is none. */
export function useSample(flowId: string): Sample | null {
  const { data } = useQuery({
    queryKey: ['flow', flowId, 'sample'],
    staleTime: Infinity,
    retry: false,
    queryFn: async (): Promise<Sample | null> => {
      const query = { flowId, state: ['DONE' as const], size: 1 };
      const [head] = (await answerOf(api.GET('/api/v1/plays', { params: { query } }))).items;
      if (!head) return null;
      const params = { path: { id: head.id } };
      const [play, layers] = await Promise.all([
        answerOf(api.GET('/api/v1/plays/{id}', { params })),
        answerOf(api.GET('/api/v1/plays/{id}/layers', { params })),
      ]);
      const outs = layers.filter(({ state, out }) => state === 'DONE' && !isReference(out));
      return { playId: head.id, args: play.args ?? {}, outs: new Map(outs.map(({ ref, out }) => [ref, out])) };
    },
  });
  return data ?? null;
}

/** What expressions of a layer can read: layers before it that do not run at the same time. */
export function knownOf(
  layers: Layers,
  layer: DraftLayer,
  shapeOf: (layer: DraftLayer) => Schema,
  sample: Sample | null,
  argsShape: Schema,
): Known {
  const at = layers.indexOf(layer);
  const before = layers.slice(0, at).filter(({ stage }) => stage === null || stage !== layer.stage);
  return {
    refs: before.map((each) => ({
      ref: each.ref,
      name: each.name,
      shape: outputShape(each, shapeOf(each)),
      mayFail: each.onError === 'continue',
    })),
    args: sample?.args,
    argsShape,
    outs: sample?.outs ?? new Map(),
    isLoop: layer.forEach !== null,
  };
}

/** Of a loop it is a list. @param shape of one call */
function outputShape({ forEach }: DraftLayer, shape: Schema): Schema {
  if (forEach === null) return shape;
  const { $defs, ...one } = shape;
  const error = { properties: { code: { type: 'string' }, message: { type: 'string' } } };
  const collected = { properties: { ok: { type: 'boolean' }, out: one, error } };
  const items = forEach.onItemError === 'collect' ? collected : one;
  return { type: 'array', items, ...($defs !== undefined && { $defs }) };
}
