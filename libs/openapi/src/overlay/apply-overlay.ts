/** From a document and an overlay to the document that is imported. */
import { JSONPathEnvironment, type JSONPathNode, type JSONValue } from 'json-p3';
import { DocumentFault } from '../document/document-fault.js';
import { assertBounded, messageOf } from '../document/parse-document.js';
import { isObject, type JsonObject } from '../json.js';
import { MAX_DOCUMENT_BYTES, MAX_NESTING, MAX_OVERLAY_NODES } from '../limits.js';
import type { Overlay, OverlayAction } from './overlay.js';

type Warn = (path: string, message: string) => void;
type Changeable = Record<string, unknown>;

/**
 * Each action changes what the ones before it have left. Lists of an update are added to those of the document, objects are merged, and
 * everything else takes the place of what is there. An action that finds nothing is a warning.
 *
 * @throws DocumentFault which names the action by its place in the overlay, from 0
 */
export function applyOverlay(document: JsonObject, { actions }: Overlay, warn: Warn): JsonObject {
  // an alias of YAML is one object in several places, of which an action may mean one
  const changed = JSON.parse(JSON.stringify(document)) as Changeable;
  let added = 0;
  for (const [i, action] of actions.entries()) {
    const at = `overlay.actions.${i}`;
    const nodes = selected(action, changed, at);
    if (nodes.length === 0) warn(at, `finds nothing in the document: its target is ${action.target}`);
    if (action.remove === true) {
      removeAll(nodes, changed, at);
      continue;
    }
    added += JSON.stringify(action.update).length * nodes.length;
    if (added > MAX_DOCUMENT_BYTES) {
      throw new DocumentFault(`${at} of the API adds more than ${MAX_DOCUMENT_BYTES} characters to its document.`);
    }
    for (const { value } of nodes) update(value, action, at);
  }
  assertBounded(changed, 'The document with the overlay of the API');
  return changed;
}

/** As deep as a document may be. */
const PATHS = new JSONPathEnvironment({ maxRecursionDepth: MAX_NESTING });

function selected({ target }: OverlayAction, document: Changeable, at: string): readonly JSONPathNode[] {
  const nodes: JSONPathNode[] = [];
  try {
    for (const node of PATHS.lazyQuery(target, document as JSONValue)) {
      if (nodes.push(node) > MAX_OVERLAY_NODES) {
        throw new DocumentFault(`finds more than ${MAX_OVERLAY_NODES} places: name fewer in its target`);
      }
    }
    return nodes;
  } catch (error) {
    throw new DocumentFault(`${at} of the API cannot be followed in the document: ${messageOf(error)}.`);
  }
}

function update(value: unknown, { update: given }: OverlayAction, at: string): void {
  if (Array.isArray(value)) value.push(structuredClone(given));
  else if (isObject(value) && isObject(given)) merge(value, given);
  else {
    const found = isObject(value) ? 'an object, and its update is not one' : 'a value that is neither object nor list';
    throw new DocumentFault(
      `${at} of the API finds ${found}: let its target be the object that contains what changes.`,
    );
  }
}

function merge(into: Changeable, given: JsonObject): void {
  for (const [name, value] of Object.entries(given)) {
    const before = Object.hasOwn(into, name) ? into[name] : undefined;
    if (isObject(before) && isObject(value)) merge(before, value);
    else if (Array.isArray(before) && Array.isArray(value)) before.push(...(structuredClone(value) as unknown[]));
    else put(into, name, structuredClone(value));
  }
}

/** Also where the name is one like `__proto__`. */
function put(into: Changeable, name: string, value: unknown): void {
  Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Elements of a list together, since each that goes moves the ones after it. */
function removeAll(nodes: readonly JSONPathNode[], document: Changeable, at: string): void {
  const gone = new Map<object, Set<string | number>>();
  for (const { location } of nodes) {
    const name = location.at(-1);
    if (name === undefined) throw new DocumentFault(`${at} of the API would remove the whole document.`);
    const parent = location
      .slice(0, -1)
      .reduce<unknown>((value, step) => (value as Changeable)[step], document) as object;
    gone.set(parent, (gone.get(parent) ?? new Set()).add(name));
  }
  for (const [parent, names] of gone) {
    if (Array.isArray(parent))
      parent.splice(0, parent.length, ...(parent as unknown[]).filter((_, i) => !names.has(i)));
    else for (const name of names) Reflect.deleteProperty(parent, name);
  }
}
