import type { CallOptions, Flow, FlowDocument, TaggedDocument, Weft } from '@weft/client';
import { renamed } from '@weft/shapes';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { flowsNamed } from '../session/find-flow.js';
import { LEFT_OUT } from './differences.js';
import { planChanges, type StoredFlow, type Step } from './plan.js';

/** Of a flow: docs/flows.md. */
const MOST_CASES = 100;

/** A flow at the server, to compare documents with. */
export interface Stored extends StoredFlow {
  readonly exported: TaggedDocument;
}

/**
 * The tag is read first: whatever changes after it, the change of the flow is refused. Where a proxy has removed it, the flow's
 * version is read first, which says nothing of the test cases.
 */
export async function storedOf(weft: Weft, flowId: string): Promise<Stored> {
  const { tag, document: first } = await weft.flows.exportTagged(flowId);
  const flow = await weft.flows.get(flowId);
  const document = tag === null ? await weft.flows.export(flowId) : first;
  const cases = await weft.testCases.list(flow.id, { size: 200 }).take(MOST_CASES);
  return {
    flow,
    // a list has the newest first, a document is in the order of the ids
    cases: cases.sort((a, b) => (a.id < b.id ? -1 : 1)),
    vars: document.blueprintVars,
    exported: { tag, document },
  };
}

/** What a document changes of a flow: it may name links and flows by id or by key. */
export function stepsTo(stored: Stored, wanted: FlowDocument): Step[] {
  const { flow, exported } = stored;
  const keys = new Map<string, string>();
  const names = namesIn(exported.document);
  renamed({ ...flow, layers: flow.layers ?? [] }, (kind, id, path) => {
    const key = names.get(path);
    if (key !== undefined && key !== LEFT_OUT) keys.set(`${kind} ${id}`, key);
    return id;
  });
  const byKey = <T extends FlowDocument | (Flow & FlowLayers)>(of: T): T =>
    renamed(of, (kind, text) => keys.get(`${kind} ${text}`) ?? text);
  return planChanges({ ...stored, flow: byKey({ ...flow, layers: flow.layers ?? [] }) }, byKey(wanted));
}

type FlowLayers = { readonly layers: NonNullable<Flow['layers']> };

function namesIn(document: FlowDocument): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  renamed(document, (_kind, text, path) => {
    names.set(path, text);
    return text;
  });
  return names;
}

export async function flowWithKey(weft: Weft, key: string, options?: CallOptions): Promise<Flow | null> {
  const [flow] = await weft.flows.list({ key, size: 1 }, options).take(1);
  return flow ?? null;
}

/** The flow of this key; else the only one of this name that has no key yet. */
export async function flowOfFile(weft: Weft, key: string, name: string): Promise<Flow | null> {
  const found = await flowWithKey(weft, key);
  if (found) return found;
  const [flow, ...more] = (await flowsNamed(weft, name)).filter((each) => !each.key);
  if (more.length > 0)
    throw new Exit(
      EXIT.failed,
      `No flow has the key ${clean(key)}, and ${more.length + 1} flows without a key are named "${clean(name)}".`,
      `Give the one that is meant the key ${clean(key)}.`,
    );
  return flow ?? null;
}
