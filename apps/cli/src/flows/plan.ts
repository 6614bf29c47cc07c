import type { Flow, FlowDocument } from '@weft/client';
import { differences, isEqual, type Difference } from './differences.js';
import { fillIn, toLayerDocument, type CaseDocument } from './document.js';

/** A difference between a flow and a document, as people see it. */
export type Step =
  | { readonly do: 'change flow'; readonly because: readonly Difference[] }
  | { readonly do: 'remove layer'; readonly ref: string }
  | { readonly do: 'change layer'; readonly ref: string; readonly because: readonly Difference[] }
  | { readonly do: 'add layer'; readonly ref: string; readonly appId: string }
  | { readonly do: 'order layers'; readonly refs: readonly string[] }
  | { readonly do: 'remove case'; readonly name: string }
  | { readonly do: 'change case'; readonly name: string; readonly because: readonly Difference[] }
  | { readonly do: 'add case'; readonly name: string };

const FLOW_FIELDS = ['name', 'category', 'description', 'isBlueprint', 'when', 'settings', 'argsSchema'] as const;
/** Compared part by part, or not shown by a flow. */
const OTHER_FIELDS = ['schema', 'layers', 'testCases', 'blueprintVars'];

/** What differs between a stored flow and a document; nothing when it is as the document says. Pure. */
export function planChanges(flow: Flow, cases: readonly CaseDocument[], wanted: FlowDocument): Step[] {
  return [...flowSteps(flow, wanted), ...layerSteps(flow, wanted), ...caseSteps(cases, wanted)];
}

function* flowSteps(flow: Flow, wanted: FlowDocument): Generator<Step> {
  const stored = {
    ...flow,
    settings: { ...flow.settings, labels: flow.settings.labels ?? {}, mcp: flow.settings.mcp ?? null },
  };
  // fields that this command does not know yet are compared, too: they would be applied
  const names = new Set([...FLOW_FIELDS, ...Object.keys(wanted).filter((name) => !OTHER_FIELDS.includes(name))]);
  const pick = (of: object) =>
    Object.fromEntries([...names].map((name) => [name, (of as Readonly<Record<string, unknown>>)[name] ?? null]));
  const because = [...differences(pick(stored), pick(wanted))];
  if (because.length > 0) yield { do: 'change flow', because };
}

function* layerSteps({ layers = [] }: Flow, wanted: FlowDocument): Generator<Step> {
  // as the server does it: by the id that a document gives, else by the ref
  const pairs = wanted.layers.map((layer) => ({
    layer,
    found: layers.find(({ id, ref }) => (layer.id === undefined ? ref === layer.ref : id === layer.id)),
  }));
  const kept = layers.filter((stored) => pairs.some(({ found }) => found === stored));
  for (const stored of layers) if (!kept.includes(stored)) yield { do: 'remove layer', ref: stored.ref };
  for (const { layer, found } of pairs) {
    if (found === undefined) {
      yield { do: 'add layer', ref: layer.ref, appId: layer.appId };
      continue;
    }
    const { id: _id, ...fields } = layer;
    const stored = toLayerDocument(found);
    const because = [...differences(stored, { ...fields, args: fillIn(layer.args, stored.args) })];
    if (because.length > 0) yield { do: 'change layer', ref: found.ref, because };
  }
  const order = pairs.flatMap(({ found }) => found ?? []);
  const isInOrder =
    order.every((stored, i) => stored === kept[i]) && pairs.slice(order.length).every(({ found }) => !found);
  if (!isInOrder) yield { do: 'order layers', refs: wanted.layers.map(({ ref }) => ref) };
}

function* caseSteps(cases: readonly CaseDocument[], { testCases }: FlowDocument): Generator<Step> {
  for (const { name } of cases) if (!testCases.some((one) => one.name === name)) yield { do: 'remove case', name };
  for (const one of testCases) {
    const found = cases.find(({ name }) => name === one.name);
    if (found === undefined) {
      yield { do: 'add case', name: one.name };
      continue;
    }
    const { name, required, args, fixtures, expected } = found;
    const stored = { name, required, args, fixtures, expected };
    const filled = fillIn(one, stored);
    if (!isEqual(stored, filled)) yield { do: 'change case', name, because: [...differences(stored, filled)] };
  }
}
