/**
 * Validates a document that somebody wrote: its version, its shape, and everything that the API would refuse when the flow is
 * built call by call, except what only enabling judges and fixtures of layers that are not there: an export has those of
 * layers that were deleted, and must stay readable. All errors are reported together, each with its path. It takes time for
 * each layer, so it yields to the event loop in between. Pure but for the keys, which `resolve` looks up.
 */
import { schemaFaults } from '@weft/json-schema';
import { conditionFaults, queueNameFaults } from '@weft/runs';
import { asSentence, boundedErrors, MAX_ERRORS, WeftError, type FieldError } from '@weft/kernel';
import { issueTexts, readLayer, stageFaults, validateLayer } from '@weft/layers';
import {
  documentLayerShape,
  FLOW_SCHEMA,
  flowDocumentShape,
  MAX_LAYERS,
  renamed,
  type FlowDocumentFile,
} from '@weft/shapes';
import type { z } from 'zod';
import { isUnresolved, LayerWarnings } from '../judgement/layer-warnings.js';
import { isCaseTooLarge } from '../test-cases/test-case.limits.js';
import { isToolTooLarge, TOOL_TOO_LARGE } from '../flow-settings.js';
import { hasTooManyValues, TOO_MANY_VALUES } from '../flow-size.js';
import type { Resolved } from '../keys/resource-keys.js';
import { yieldingToEventLoop } from '../yielding-to-event-loop.js';
import { fillIn, type StoredFlow } from './fill-in-document.js';

/** Gives a document with ids in the place of keys; `faults`: what its keys do not name. */
export type Resolve = (document: FlowDocumentFile) => Promise<Resolved<FlowDocumentFile>>;

/**
 * @param resolve gives the ids of the keys that are in it
 * @param stored the flow that the document is put in the place of: it gives the values that an export left out
 * @throws WeftError `invalid_document`; `left_out` when nothing else is wrong than that the stored flow lacks values that the
 * document leaves out; paths begin with `document`
 */
export async function readDocument(input: unknown, resolve: Resolve, stored?: StoredFlow): Promise<FlowDocumentFile> {
  assertReadable(input);
  assertFewValues(input as Readonly<Record<string, unknown>>);
  const parsed = flowDocumentShape.safeParse(input);
  if (!parsed.success) {
    const faults = parsed.error.issues.slice(0, MAX_ERRORS).flatMap((issue) => faultsOf(issue, input));
    throw refusal([...faults, ...(await faultsOfReadableLayers(input))]);
  }
  const { document: filled, faults: leftOut } = stored
    ? await fillIn(parsed.data, stored)
    : { document: parsed.data, faults: [] };
  const { flow: document, faults: unknown } = await resolve(filled);
  const faults = [
    ...unknown,
    ...(stored ? [] : idFaults(document)),
    ...toolFaults(document.settings),
    ...conditionFaults(document.when),
    ...queueNameFaults(document.settings),
    ...schemaFaults(document.argsSchema ?? {}),
    ...(await faultsOfLayers(document.layers)),
    ...stageFaults(document.layers).map((fault) => ({ ...fault, path: byPosition(fault.path, document) })),
    ...(await caseFaults(document.testCases)),
  ];
  const code = faults.length > 0 ? 'invalid_document' : 'left_out';
  faults.push(...leftOut);
  if (faults.length > 0) throw refusal([...faults, ...(await unresolvedIn(document.layers))], code);
  return document;
}

/** A later version may mean something else by the same words: it is not guessed at. */
function assertReadable(input: unknown): void {
  const schema = (input as Readonly<Record<string, unknown>> | null)?.schema;
  if (schema === FLOW_SCHEMA) return;
  const isFlow = typeof schema === 'string' && /^weft\.flow\/\d+$/.test(schema);
  const message = isFlow
    ? `this version of Weft reads ${FLOW_SCHEMA}, and the document is ${schema}: it was written by another version`
    : `schema must be "${FLOW_SCHEMA}"`;
  throw refusal([fault('schema', isFlow ? 'unsupported_schema' : 'invalid', message)]);
}

/** Test cases are bounded one by one. */
function assertFewValues({ testCases: _cases, ...flow }: Readonly<Record<string, unknown>>): void {
  if (hasTooManyValues(flow)) throw refusal([fault('layers', 'too_large', TOO_MANY_VALUES)]);
}

function toolFaults({ mcp }: FlowDocumentFile['settings']): FieldError[] {
  return isToolTooLarge(mcp) ? [fault('settings.mcp', 'too_large', TOOL_TOO_LARGE)] : [];
}

type Layer = FlowDocumentFile['layers'][number];

/** Of a document that has other faults: those of its layers that can be read, so that everything is said at once. */
async function faultsOfReadableLayers(input: unknown): Promise<FieldError[]> {
  const { layers } = input as { readonly layers?: unknown };
  if (!Array.isArray(layers)) return [];
  const read: (Layer | undefined)[] = [];
  for await (const each of yieldingToEventLoop(layers.slice(0, MAX_LAYERS))) {
    read.push(documentLayerShape.safeParse(each).data);
  }
  const { layers: readable } = renamed({ layers: read.filter((each) => each !== undefined) }, (_kind, text) => text);
  const isWhole = read.length === readable.length;
  const faults = [...(await faultsOfLayers(readable)), ...(isWhole ? await unresolvedIn(readable) : [])];
  const positions = read.flatMap((each, position) => (each === undefined ? [] : [position]));
  return faults.map((each) => ({
    ...each,
    path: each.path.replace(/^layers\.(\d+)/, (_, at: string) => `layers.${positions[Number(at)]}`),
  }));
}

/**
 * References that lead nowhere, said along with faults for which the document is refused: alone they keep the flow from being
 * enabled, not from being imported.
 */
async function unresolvedIn(layers: readonly Layer[]): Promise<FieldError[]> {
  const warnings = new LayerWarnings(layers.map((each, index) => ({ ...each, id: '', name: each.ref, index })));
  const found: FieldError[] = [];
  let position = 0;
  for await (const layer of yieldingToEventLoop(layers)) {
    warnings.ofReferences(position, readLayer(layer), (warning) => {
      const isListed = isUnresolved(warning) && found.length < MAX_ERRORS;
      if (isListed) found.push({ ...warning, path: `layers.${position}.${warning.path}` });
    });
    if (found.length >= MAX_ERRORS) break;
    position += 1;
  }
  return found;
}

async function faultsOfLayers(layers: readonly Layer[]): Promise<FieldError[]> {
  const faults: FieldError[] = [];
  let position = 0;
  for await (const layer of yieldingToEventLoop(layers)) {
    faults.push(...layerFaults(layer, layers, `layers.${position}`));
    position += 1;
  }
  return faults;
}

function layerFaults(layer: Layer, all: readonly Layer[], path: string): FieldError[] {
  const faults = validateLayer(layer);
  if (all.find(({ ref }) => ref === layer.ref) !== layer) {
    faults.push(fault('ref', 'ref_taken', `another layer has the ref "${layer.ref}"`));
  }
  return faults.map((each) => ({ ...each, path: `${path}.${each.path}` }));
}

/** Ids name layers of the flow that a document is put in the place of: a new flow has none. */
function idFaults({ layers }: FlowDocumentFile): FieldError[] {
  return layers.flatMap(({ id }, i) =>
    id === undefined ? [] : [fault(`layers.${i}.id`, 'unknown_field', 'id is no field of a layer that is new')],
  );
}

async function caseFaults(cases: FlowDocumentFile['testCases']): Promise<FieldError[]> {
  const faults: FieldError[] = [];
  let position = 0;
  for await (const each of yieldingToEventLoop(cases)) {
    if (isCaseTooLarge(each))
      faults.push(fault(`testCases.${position}`, 'too_large', 'a test case has at most 128 KB'));
    position += 1;
  }
  return faults;
}

/** `layers.<ref>.stage` → `layers.<position>.stage`, as all paths of a document. */
function byPosition(path: string, { layers }: FlowDocumentFile): string {
  const position = layers.findIndex(({ ref }) => path.startsWith(`layers.${ref}.`));
  return position === -1 ? path : `layers.${position}.${path.split('.').at(-1) ?? ''}`;
}

function faultsOf(issue: z.core.$ZodIssue, value: unknown): FieldError[] {
  return issueTexts(issue, { schema: flowDocumentShape, value, root: '' }).map(({ path, message, isUnknown }) =>
    fault(path.join('.'), isUnknown ? 'unknown_field' : 'invalid', message),
  );
}

function fault(path: string, code: string, message: string): FieldError {
  return { path, code, message };
}

function refusal(faults: readonly FieldError[], code: 'invalid_document' | 'left_out' = 'invalid_document'): WeftError {
  const errors = faults.map((each) => ({ ...each, path: `document.${each.path}`.replace(/\.$/, '') }));
  const first = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new WeftError(code, asSentence(`${first?.path}: ${first?.message}${more}`), {
    errors: boundedErrors(errors),
  });
}
