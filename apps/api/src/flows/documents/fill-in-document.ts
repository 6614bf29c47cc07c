import { MAX_ERRORS, type FieldError } from '@weft/kernel';
import type { FlowDocument, TestCaseDocument } from '@weft/records';
import { yieldingToEventLoop } from '../yielding-to-event-loop.js';
import { caseFieldsOf } from './export-flow.js';
import { fillLeftOut, type Path } from './fill-left-out.js';
import type { FlowDocumentFile } from '@weft/shapes';

/** What a document is put in the place of. */
export interface StoredFlow {
  readonly flow: Pick<FlowDocument, 'layers' | 'blueprintVars'>;
  /** In the order of their ids. */
  readonly cases: readonly TestCaseDocument[];
}

/** A document with the values of a flow. */
export interface FilledDocument {
  readonly document: FlowDocumentFile;
  /** Places that the document leaves out and the flow has no value for, up to as many as an answer names. */
  readonly faults: readonly FieldError[];
}

const MESSAGE =
  'is [left out], and the flow has no value that was surely in this place: write the value; a secret belongs in an integration link, from which {{ $link.access_token }} reads it';

/**
 * Fills in what an export left out of layers, test cases and variables. Layers are found as they keep their ids: by id, else by
 * ref. Without variables of its own a document has those of the flow. Each layer takes time, so it yields to the event loop in
 * between. Pure.
 */
export async function fillIn(given: FlowDocumentFile, { flow, cases }: StoredFlow): Promise<FilledDocument> {
  const faults: FieldError[] = [];
  const fill = <T>(wanted: T, stored: unknown, root: Path): T => fillLeftOut(wanted, stored, add, root) as T;
  const layers: FlowDocumentFile['layers'] = [];
  const storedOf = layersFor(given.layers, flow.layers);
  for await (const layer of yieldingToEventLoop(given.layers)) {
    layers.push({ ...layer, args: fill(layer.args, storedOf(layer)?.args, ['layers', String(layers.length), 'args']) });
  }
  const document = {
    ...given,
    blueprintVars: given.blueprintVars
      ? fill(given.blueprintVars, flow.blueprintVars, ['blueprintVars'])
      : (flow.blueprintVars ?? null),
    layers,
    testCases: fill(given.testCases, cases.map(caseFieldsOf), ['testCases']),
  };
  return { document, faults };

  function add(place: Path): void {
    if (faults.length < MAX_ERRORS) faults.push({ path: place.join('.'), code: 'left_out', message: MESSAGE });
  }
}

type Layer = FlowDocumentFile['layers'][number];

/** A layer that another one claims by its id has no ref any more. */
function layersFor(given: readonly Layer[], stored: StoredFlow['flow']['layers']) {
  const claimed = new Set(given.map(({ id }) => id));
  const byId = new Map(stored.map((layer) => [layer.id, layer]));
  const byRef = new Map(stored.filter(({ id }) => !claimed.has(id)).map((layer) => [layer.ref, layer]));
  return ({ id, ref }: Layer) => (id === undefined ? byRef.get(ref) : byId.get(id));
}
