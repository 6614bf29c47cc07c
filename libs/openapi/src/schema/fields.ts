import { isObject, listOf, own, textOf, type JsonObject } from '../json.js';

/** Parts of one schema that are looked at. */
const MAX_PARTS = 200;

/** What a reference of a kept schema refers to. */
export function definitionOf(schema: JsonObject, defs: unknown): JsonObject | undefined {
  const name = textOf(schema, '$ref')?.slice('#/$defs/'.length).replaceAll('~1', '/').replaceAll('~0', '~');
  const found = name === undefined ? undefined : own(defs, name);
  return isObject(found) ? found : undefined;
}

/** The parts of a kept schema that judge the same value, all of which hold: itself, what it refers to, and each `allOf`. */
export function partsOf(schema: JsonObject, defs: unknown): readonly JsonObject[] {
  const parts = new Set<JsonObject>();
  const look = (node: unknown): void => {
    if (!isObject(node) || parts.has(node) || parts.size >= MAX_PARTS) return;
    parts.add(node);
    look(definitionOf(node, defs));
    for (const each of listOf(own(node, 'allOf'))) look(each);
  };
  look(schema);
  return [...parts];
}
