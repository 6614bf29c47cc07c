import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { answerOf, api } from '../api/client';
import { isReference } from '../values/reference';
import type { DraftLayer, Layers } from './draft';
import { pathOfText, pathsUsed, previewOfText, type Known, type KnownVariable } from './expression';
import { samplesQuery, type KeptSample } from './samples-query';
import { schemaAt, type Schema } from './schema-reading';

export interface Sample {
  /** The last play that went well; null: there is none. */
  readonly playId: string | null;
  readonly args: Readonly<Record<string, unknown>> | undefined;
  /** What layers gave: the samples that are kept, else what that play has. */
  readonly outs: ReadonlyMap<string, unknown>;
  /** By ref. */
  readonly kept: ReadonlyMap<string, KeptSample>;
}

const NO_SAMPLES: readonly KeptSample[] = [];

/** What layers of the flow gave, and what they were given. */
export function useSample(flowId: string): Sample {
  const { data: play } = useQuery({
    queryKey: ['flow', flowId, 'sample'],
    staleTime: Infinity,
    retry: false,
    queryFn: async () => {
      const query = { flowId, state: ['DONE' as const], size: 1 };
      const [head] = (await answerOf(api.GET('/api/v1/plays', { params: { query } }))).items;
      if (!head) return null;
      const params = { path: { id: head.id } };
      const [play, layers] = await Promise.all([
        answerOf(api.GET('/api/v1/plays/{id}', { params })),
        answerOf(api.GET('/api/v1/plays/{id}/layers', { params })),
      ]);
      const outs = layers.filter(({ state, out }) => state === 'DONE' && !isReference(out));
      return { playId: head.id, args: play.args ?? {}, outs: outs.map(({ ref, out }) => [ref, out] as const) };
    },
  });
  const { data: samples = NO_SAMPLES } = useQuery(samplesQuery(flowId));
  return useMemo(() => {
    const kept = new Map(samples.map((each) => [each.ref, each]));
    const outs = new Map([...(play?.outs ?? []), ...samples.map(({ ref, out }) => [ref, out] as const)]);
    return { playId: play?.playId ?? null, args: play?.args, outs, kept };
  }, [play, samples]);
}

/** What expressions of a layer can read: layers before it that do not run at the same time. */
export function knownOf(
  layers: Layers,
  layer: DraftLayer,
  shapeOf: (layer: DraftLayer) => Schema,
  sample: Sample,
  argsShape: Schema,
): Known {
  const at = layers.indexOf(layer);
  const before = layers.slice(0, at).filter(({ stage }) => stage === null || stage !== layer.stage);
  const variables = new Map<string, KnownVariable>();
  let used: Known['used'] | undefined;
  const known: Known = {
    refs: before.map((each) => ({
      ref: each.ref,
      name: each.name,
      shape: outputShape(each, shapeOf(each)),
      mayFail: each.onError === 'continue',
    })),
    args: sample.args,
    argsShape,
    outs: sample.outs,
    variables,
    // only completion asks, and each key that is typed makes it anew
    get used() {
      const read = layers.map(({ args, when, forEach, repeat }) => [args, when, forEach, repeat]);
      return (used ??= pathsUsed(JSON.stringify(read)));
    },
  };
  for (const [name, each] of variablesOf(layer, known, shapeOf(layer))) variables.set(name, each);
  return known;
}

/** As the first call of the layer sees them. */
function variablesOf(layer: DraftLayer, known: Known, shape: Schema): Map<string, KnownVariable> {
  const found = new Map<string, KnownVariable>();
  const out = known.outs.get(layer.ref);
  if (layer.forEach !== null) {
    const list = previewOfText(known, layer.forEach.in);
    const items = list?.state === 'value' && Array.isArray(list.value) ? (list.value as readonly unknown[]) : [];
    found.set('$item', { says: 'the item of the loop', shape: itemShape(known, layer.forEach.in), value: items[0] });
    found.set('$index', { says: 'its place, from 0', shape: {}, value: 0 });
  } else if (layer.repeat !== null) {
    const round = { properties: { index: { type: 'integer' }, out: shape } };
    found.set('$repeat', {
      says: 'the round before',
      shape: withDefs(round, shape),
      value: { index: 0, out: out ?? null },
    });
  }
  if ((layer.args.paginate ?? null) !== null) {
    const properties = { ...PAGE_FIELDS, ...(schemaAt(shape, ['pages', 0])?.properties ?? shape.properties ?? {}) };
    found.set('$page', { says: 'the page before', shape: withDefs({ properties }, shape), value: pageIn(out) });
  }
  return found;
}

const PAGE_FIELDS = { index: { type: 'integer' } };

/** The first page of an output of pages; of another one itself. */
function pageIn(out: unknown): unknown {
  if (typeof out !== 'object' || out === null) return undefined;
  const { pages } = out as { readonly pages?: readonly unknown[] };
  const page: unknown = Array.isArray(pages) ? pages[0] : out;
  return typeof page === 'object' && page !== null ? { index: 0, ...page } : undefined;
}

function itemShape({ refs, argsShape }: Known, list: string): Schema {
  const [root, ...rest] = (pathOfText(list) ?? []).filter((part, i) => i > 0 || part !== '$prev');
  const shape = root === 'args' ? argsShape : refs.find(({ ref }) => ref === root)?.shape;
  const item = shape && schemaAt(shape, [...rest, 0]);
  return item ? withDefs(item, shape) : {};
}

function withDefs(part: Schema, { $defs }: Schema): Schema {
  return $defs === undefined ? part : { ...part, $defs };
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
