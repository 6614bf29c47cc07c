import type { Flow, FlowDocument } from '@weft/client';
import { fillIn, toLayerDocument, type CaseDocument, type LayerDocument } from './document.js';
import { differences, isEqual, type Difference } from './differences.js';

/** A test case as it is stored. */
export type StoredCase = CaseDocument & { readonly id: string };

export type Step =
  | { readonly do: 'change flow'; readonly fields: Partial<FlowDocument>; readonly because: readonly Difference[] }
  | { readonly do: 'remove layer'; readonly ref: string; readonly id: string }
  | {
      readonly do: 'change layer';
      readonly ref: string;
      readonly id: string;
      readonly fields: Partial<LayerDocument>;
      readonly because: readonly Difference[];
    }
  | { readonly do: 'add layer'; readonly layer: LayerDocument }
  | { readonly do: 'order layers'; readonly refs: readonly string[] }
  | { readonly do: 'remove case'; readonly name: string; readonly id: string }
  | {
      readonly do: 'change case';
      readonly name: string;
      readonly id: string;
      readonly fields: CaseDocument;
      readonly because: readonly Difference[];
    }
  | { readonly do: 'add case'; readonly fields: CaseDocument };

const FLOW_FIELDS = ['name', 'category', 'description', 'isBlueprint', 'when', 'settings'] as const;

/** The steps from a stored flow to a document; none when it is as the document says. Pure. */
export function planChanges(flow: Flow, cases: readonly StoredCase[], wanted: FlowDocument): Step[] {
  return [...flowSteps(flow, wanted), ...layerSteps(flow, wanted), ...caseSteps(cases, wanted)];
}

function* flowSteps(flow: Flow, wanted: FlowDocument): Generator<Step> {
  const stored = {
    ...flow,
    settings: { ...flow.settings, labels: flow.settings.labels ?? {}, mcp: flow.settings.mcp ?? null },
  } as Partial<FlowDocument>;
  const names = FLOW_FIELDS.filter((name) => !isEqual(stored[name], wanted[name]));
  if (names.length === 0) return;
  const pick = (of: Partial<FlowDocument>) => Object.fromEntries(names.map((name) => [name, of[name]]));
  yield { do: 'change flow', fields: pick(wanted), because: [...differences(pick(stored), pick(wanted))] };
}

function* layerSteps({ layers = [] }: Flow, wanted: FlowDocument): Generator<Step> {
  const refs = wanted.layers.map(({ ref }) => ref);
  const kept = layers.filter(({ ref }) => refs.includes(ref));
  for (const { ref, id } of layers) if (!refs.includes(ref)) yield { do: 'remove layer', ref, id };
  for (const layer of wanted.layers) {
    const found = kept.find(({ ref }) => ref === layer.ref);
    if (found === undefined) {
      yield { do: 'add layer', layer };
      continue;
    }
    const stored = toLayerDocument(found);
    const filled = filledIn(layer, stored);
    const because = [...differences(stored, filled)];
    const names = [...new Set(because.map(({ path }) => path.split('.')[0] as keyof LayerDocument))];
    const fields = Object.fromEntries(names.map((name) => [name, filled[name]]));
    if (names.length > 0) yield { do: 'change layer', ref: layer.ref, id: found.id, fields, because };
  }
  // a new layer is added at the end
  const then = [...kept.map(({ ref }) => ref), ...refs.filter((ref) => !kept.some((layer) => layer.ref === ref))];
  if (!isEqual(then, refs)) yield { do: 'order layers', refs };
}

/** All layers as the document says, with what it leaves out. */
export function layersOf({ layers = [] }: Flow, wanted: FlowDocument): LayerDocument[] {
  return wanted.layers.map((layer) => {
    const stored = layers.find(({ ref }) => ref === layer.ref);
    return stored ? filledIn(layer, toLayerDocument(stored)) : layer;
  });
}

function filledIn(layer: LayerDocument, stored: LayerDocument): LayerDocument {
  return { ...layer, args: fillIn(layer.args, stored.args) } as LayerDocument;
}

function* caseSteps(cases: readonly StoredCase[], { testCases }: FlowDocument): Generator<Step> {
  for (const { name, id } of cases)
    if (!testCases.some((one) => one.name === name)) yield { do: 'remove case', name, id };
  for (const one of testCases) {
    const found = cases.find(({ name }) => name === one.name);
    if (found === undefined) {
      yield { do: 'add case', fields: one };
      continue;
    }
    const { id, name, required, args, fixtures, expected } = found;
    const stored = { name, required, args, fixtures, expected };
    const filled = fillIn(one, stored) as CaseDocument;
    const because = [...differences(stored, filled)];
    if (because.length > 0) yield { do: 'change case', name, id, fields: filled, because };
  }
}
