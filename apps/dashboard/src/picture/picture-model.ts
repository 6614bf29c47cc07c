/** Where the layers of a flow are in its picture: stages in a row, layers of a stage one below the other, branches as arcs over them. Pure. */
import { rowsOf } from '../editor/order';
import type { FlowLayer } from '../play/queries';
import { loopKindOf } from '../play/loop-kind';

export type DrawnLayer = Pick<FlowLayer, 'ref' | 'name' | 'appId' | 'args' | 'stage' | 'when' | 'forEach'> &
  Partial<Pick<FlowLayer, 'repeat' | 'retry' | 'onError'>>;

/** From a branch to a stage with layers of one of its cases. */
export interface Arc {
  readonly key: string;
  /** Numbers of stages. */
  readonly from: number;
  readonly to: number;
  /** Those that share a place are in different ones; 0 is the lowest. */
  readonly lane: number;
  /** `1`, `2`, `else`. */
  readonly name: string;
}

export interface Picture {
  /** Layers that run at once, or one that runs alone. */
  readonly stages: readonly (readonly DrawnLayer[])[];
  readonly arcs: readonly Arc[];
  readonly lanes: number;
  /** In which cases of which branches a layer runs, by ref. */
  readonly cases: ReadonlyMap<string, readonly string[]>;
}

/** More would be a tangle: the layers say in words in which case they run. */
const MOST_ARCS = 60;
const MOST_LANES = 5;

export function pictureOf(layers: readonly DrawnLayer[]): Picture {
  const stages = rowsOf(layers).map((row) => row.layers);
  const stageOf = new Map(stages.flatMap((stage, i) => stage.map(({ ref }) => [ref, i] as const)));
  const cases = new Map<string, string[]>();
  const wanted: Omit<Arc, 'lane'>[] = [];
  for (const layer of layers) {
    for (const { name, refs } of casesOf(layer)) {
      for (const ref of refs) cases.set(ref, [...(cases.get(ref) ?? []), `${layer.ref}: ${name}`]);
      const from = stageOf.get(layer.ref) ?? 0;
      const targets = new Set(refs.map((ref) => stageOf.get(ref) ?? -1).filter((to) => to > from));
      for (const to of targets) wanted.push({ key: `${layer.ref} ${name} ${to}`, from, to, name });
    }
  }
  const arcs = inLanes(wanted.slice(0, MOST_ARCS));
  return { stages, arcs, lanes: Math.max(0, ...arcs.map(({ lane }) => lane + 1)), cases };
}

/** Of a branch, also of one whose arguments are not complete yet. */
function casesOf({ appId, args }: DrawnLayer): readonly { readonly name: string; readonly refs: readonly string[] }[] {
  if (appId !== 'branch') return [];
  const given = Array.isArray(args.cases) ? args.cases : [];
  const named = given.map((each: unknown, i) => ({ name: `case ${i + 1}`, refs: refsOf(fieldOf(each, 'refs')) }));
  return [...named, { name: 'else', refs: refsOf(args.else) }];
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const refsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** Short arcs below long ones. */
function inLanes(arcs: readonly Omit<Arc, 'lane'>[]): Arc[] {
  const lanes: { from: number; to: number }[][] = [];
  return arcs
    .toSorted((a, b) => a.to - a.from - (b.to - b.from))
    .map((arc) => {
      const free = lanes.findIndex((lane) => lane.every(({ from, to }) => arc.to <= from || arc.from >= to));
      const lane = free === -1 ? Math.min(lanes.length, MOST_LANES - 1) : free;
      (lanes[lane] ??= []).push(arc);
      return { ...arc, lane };
    });
}

const LOOPS = { item: 'for each item', page: 'page by page', round: 'in rounds', step: 'step by step' } as const;

/** What is special about how the layer runs, in words. */
export function marksOf(layer: DrawnLayer, cases: readonly string[]): readonly string[] {
  const loop = loopKindOf({
    appId: layer.appId,
    forEach: layer.forEach,
    repeat: layer.repeat ?? null,
    args: layer.args,
  });
  return [
    ...(cases.length > 0 ? [cases.length > 2 ? `${cases[0]} and ${cases.length - 1} more` : cases.join(', ')] : []),
    ...(layer.when === null ? [] : ['only if']),
    ...(loop === null ? [] : [LOOPS[loop]]),
    ...(layer.onError === 'continue' ? ['may fail'] : []),
  ];
}

/** The flow that the layer runs; null: none, or one that its expression names. */
export function subFlowOf({ appId, args }: DrawnLayer): string | null {
  const { flowId } = args;
  return appId === 'run-flow' && typeof flowId === 'string' && !flowId.includes('{{') ? flowId : null;
}
