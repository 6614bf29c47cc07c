import type { FlowDocument, TestCaseDocument } from '@weft/persistence';
import type { FlowDocumentFile } from './flow-document.js';
import { resultYieldingToEventLoop, yieldingToEventLoop } from '../yielding-to-event-loop.js';
import { fillingLeftOut } from './fill-left-out.js';

/** What a document is put in the place of. */
export interface StoredFlow {
  readonly flow: Pick<FlowDocument, 'layers' | 'blueprintVars'>;
  /** In the order of their ids. */
  readonly cases: readonly TestCaseDocument[];
}

/**
 * A document with the values of the flow in the places where an export left them out: layers are matched by id and by ref, test
 * cases by name, those of equal names one after the other. Without variables of its own it has those of the flow. Each part
 * takes time, so it yields to the event loop in between, and inside of a large part. Pure.
 */
export async function fillIn(document: FlowDocumentFile, { flow, cases }: StoredFlow): Promise<FlowDocumentFile> {
  return {
    ...document,
    blueprintVars: document.blueprintVars
      ? await keepStored(document.blueprintVars, flow.blueprintVars)
      : (flow.blueprintVars ?? null),
    layers: await filledLayers(document.layers, flow.layers),
    testCases: await filledCases(document.testCases, cases),
  };
}

async function filledLayers(given: FlowDocumentFile['layers'], stored: StoredFlow['flow']['layers']) {
  const layers = new Map(stored.map((layer) => [layer.ref, layer]));
  const layersById = new Map(stored.map((layer) => [layer.id, layer]));
  const filled: FlowDocumentFile['layers'] = [];
  for await (const layer of yieldingToEventLoop(given)) {
    const before = layer.id === undefined ? layers.get(layer.ref) : layersById.get(layer.id);
    filled.push({ ...layer, args: await keepStored(layer.args, before?.args) });
  }
  return filled;
}

const CASE_PARTS = ['args', 'fixtures', 'expected'] as const;

async function filledCases(given: FlowDocumentFile['testCases'], stored: StoredFlow['cases']) {
  const casesByName = Map.groupBy(stored, ({ name }) => name);
  const cases = given.map((each) => ({ filled: { ...each }, before: casesByName.get(each.name)?.shift() }));
  const parts = cases.flatMap((each) => CASE_PARTS.map((part) => ({ ...each, part })));
  for await (const { filled, before, part } of yieldingToEventLoop(parts)) {
    filled[part] = await keepStored(filled[part], before?.[part]);
  }
  return cases.map(({ filled }) => filled);
}

async function keepStored<T extends Readonly<Record<string, unknown>>>(
  wanted: T,
  stored: object | null | undefined,
): Promise<T> {
  return (await resultYieldingToEventLoop(fillingLeftOut(wanted, stored))) as T;
}
