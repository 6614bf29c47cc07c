import type { FlowDocument, TestCaseDocument } from '@weft/persistence';
import type { FlowDocumentFile } from './flow-document.js';
import { fillLeftOut } from './fill-left-out.js';

/** What a document is put in the place of. */
export interface StoredFlow {
  readonly flow: Pick<FlowDocument, 'layers' | 'blueprintVars'>;
  /** In the order of their ids. */
  readonly cases: readonly TestCaseDocument[];
}

/**
 * A document with the values of the flow in the places where an export left them out: layers are matched by id and by ref, test
 * cases by name, those of equal names one after the other. Without variables of its own it has those of the flow. Pure.
 */
export function fillIn(document: FlowDocumentFile, { flow, cases }: StoredFlow): FlowDocumentFile {
  const layers = new Map(flow.layers.map((layer) => [layer.ref, layer]));
  const layersById = new Map(flow.layers.map((layer) => [layer.id, layer]));
  const casesByName = Map.groupBy(cases, ({ name }) => name);
  return {
    ...document,
    blueprintVars: document.blueprintVars
      ? keepStored(document.blueprintVars, flow.blueprintVars)
      : (flow.blueprintVars ?? null),
    layers: document.layers.map((layer) => {
      const stored = layer.id === undefined ? layers.get(layer.ref) : layersById.get(layer.id);
      return { ...layer, args: keepStored(layer.args, stored?.args) };
    }),
    testCases: document.testCases.map((each) => {
      const stored = casesByName.get(each.name)?.shift();
      return {
        ...each,
        args: keepStored(each.args, stored?.args),
        fixtures: keepStored(each.fixtures, stored?.fixtures),
        expected: keepStored(each.expected, stored?.expected),
      };
    }),
  };
}

function keepStored<T extends Readonly<Record<string, unknown>>>(wanted: T, stored: object | null | undefined): T {
  return fillLeftOut(wanted, stored) as T;
}
