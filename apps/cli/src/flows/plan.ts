import type { Flow, FlowDocument } from '@weft/client';
import { differences, LEFT_OUT, type Difference } from './differences.js';
import { settingsOf, toLayerDocument, type CaseDocument } from './document.js';

/** A difference between a flow and a document, as people see it. */
export type Step =
  | { readonly do: 'change flow'; readonly because: readonly Difference[] }
  | { readonly do: 'remove layer'; readonly ref: string }
  | { readonly do: 'change layer'; readonly ref: string; readonly because: readonly Difference[] }
  | { readonly do: 'add layer'; readonly ref: string; readonly appId: string }
  | { readonly do: 'order layers'; readonly refs: readonly string[] }
  | { readonly do: 'remove case'; readonly name: string }
  | { readonly do: 'change case'; readonly name: string; readonly because: readonly Difference[] }
  | { readonly do: 'add case'; readonly name: string }
  | { readonly do: 'order cases'; readonly names: readonly string[] };

const FLOW_FIELDS = ['name', 'category', 'description', 'isBlueprint', 'when', 'settings', 'argsSchema'] as const;
/** Compared part by part, or not shown by a flow. */
const OTHER_FIELDS = ['schema', 'layers', 'testCases', 'blueprintVars'];

/** What a document is compared with. */
export interface StoredFlow {
  readonly flow: Flow;
  /** In the order of a document. */
  readonly cases: readonly CaseDocument[];
  /** As an export shows them: secrets are left out. */
  readonly vars: FlowDocument['blueprintVars'];
}

/** What differs between a stored flow and a document; nothing when it is as the document says. Pure. */
export function planChanges({ flow, cases, vars }: StoredFlow, wanted: FlowDocument): Step[] {
  return [
    ...flowSteps(flow, wanted),
    ...varSteps(vars, wanted),
    ...layerSteps(flow, wanted),
    ...caseSteps(cases, wanted),
  ];
}

function* flowSteps(flow: Flow, wanted: FlowDocument): Generator<Step> {
  const { publish, ...settings } = flow.settings;
  // a document that does not say it leaves it as it is
  const compared = settingsOf({ ...settings, ...(wanted.settings.publish && { publish }) });
  const stored = { ...flow, settings: compared };
  // fields that this command does not know yet are compared, too: they would be applied
  const names = new Set([...FLOW_FIELDS, ...Object.keys(wanted).filter((name) => !OTHER_FIELDS.includes(name))]);
  const pick = (of: object) =>
    Object.fromEntries([...names].map((name) => [name, (of as Readonly<Record<string, unknown>>)[name] ?? null]));
  const because = [...differences(pick(stored), pick(wanted))];
  if (because.length > 0) yield { do: 'change flow', because };
}

/** A document without variables leaves them as they are. What an export leaves out is not shown here either. */
function* varSteps(stored: StoredFlow['vars'], { blueprintVars }: FlowDocument): Generator<Step> {
  if (!blueprintVars) return;
  const because = [...differences(stored ?? {}, blueprintVars, 'blueprintVars')].map((each) =>
    each.before === LEFT_OUT && each.after !== undefined ? { ...each, after: 'the value in the document' } : each,
  );
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
    const because = [...differences(toLayerDocument(found), fields)];
    if (because.length > 0) yield { do: 'change layer', ref: found.ref, because };
  }
  if (!isInOrder(pairs, kept)) yield { do: 'order layers', refs: wanted.layers.map(({ ref }) => ref) };
}

function* caseSteps(cases: readonly CaseDocument[], { testCases }: FlowDocument): Generator<Step> {
  const left = [...cases];
  const pairs = testCases.map((one) => {
    const at = left.findIndex(({ name }) => name === one.name);
    return { one, found: at === -1 ? undefined : left.splice(at, 1)[0] };
  });
  for (const { name } of left) yield { do: 'remove case', name };
  for (const { one, found } of pairs) {
    if (found === undefined) {
      yield { do: 'add case', name: one.name };
      continue;
    }
    const { name, required, args, fixtures, expected } = found;
    const stored = { name, required, args, fixtures, expected };
    const because = [...differences(stored, one)];
    if (because.length > 0) yield { do: 'change case', name, because };
  }
  const kept = cases.filter((stored) => !left.includes(stored));
  if (!isInOrder(pairs, kept)) yield { do: 'order cases', names: testCases.map(({ name }) => name) };
}

/** Whether what is kept stays in its order, and what is new comes after it. */
function isInOrder<T>(pairs: readonly { readonly found?: T }[], kept: readonly T[]): boolean {
  return kept.every((stored, i) => pairs[i]?.found === stored);
}
