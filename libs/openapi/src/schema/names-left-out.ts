import { Unusable } from '../document/document-fault.js';
import type { References } from '../document/references.js';
import { entriesOf, isObject, listOf, own, type JsonObject } from '../json.js';
import type { Direction } from './schema-library.js';

/** Parts of one schema in which fields are looked for. */
const MOST_PARTS = 100;

/**
 * Fields of an object that one direction does not have: the server sets `readOnly` ones, and does not show `writeOnly` ones. Fields of
 * the parts of an `allOf` count for the others, whose `required` may name them.
 */
export function namesLeftOut(schema: JsonObject, direction: Direction, references: References): ReadonlySet<string> {
  const flag = direction === 'args' ? 'readOnly' : 'writeOnly';
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const look = (node: unknown): void => {
    if (seen.size >= MOST_PARTS || seen.has(node) || !isObject(node)) return;
    seen.add(node);
    for (const [name, property] of entriesOf(own(node, 'properties'))) {
      if (own(property, flag) === true) names.add(name);
    }
    for (const part of listOf(own(node, 'allOf'))) look(part);
    if (own(node, '$ref') !== undefined) look(followed(node, references));
  };
  look(schema);
  return names;
}

function followed(node: JsonObject, references: References): unknown {
  try {
    return references.follow(node).value;
  } catch (error) {
    if (error instanceof Unusable) return undefined;
    throw error;
  }
}
