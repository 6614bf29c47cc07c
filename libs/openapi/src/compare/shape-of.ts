import { canonicalJson, entriesOf, isObject, listOf, type JsonObject } from '../json.js';
import { withoutProse } from '../operations/digest.js';
import { partsOf } from '../schema/fields.js';

export const BOUNDS = [
  ['minimum', 'up'],
  ['exclusiveMinimum', 'up'],
  ['minLength', 'up'],
  ['minItems', 'up'],
  ['minProperties', 'up'],
  ['maximum', 'down'],
  ['exclusiveMaximum', 'down'],
  ['maxLength', 'down'],
  ['maxItems', 'down'],
  ['maxProperties', 'down'],
] as const;

/** What a schema asks of a value, with all parts that hold for it together. */
export interface Shape {
  /** Null: any. */
  readonly types: readonly string[] | null;
  readonly fields: ReadonlyMap<string, JsonObject>;
  readonly required: ReadonlySet<string>;
  readonly isClosed: boolean;
  readonly more: JsonObject | null;
  readonly items: JsonObject | null;
  /** JSON of each value; null: any. */
  readonly values: ReadonlySet<string> | null;
  readonly bounds: ReadonlyMap<string, number>;
  readonly patterns: readonly string[];
  readonly choices: readonly JsonObject[];
  /** About how much all of this is, without what is in fields and choices. */
  readonly chars: number;
}

/** What looking at a part takes, as characters. */
const PART = 40;

/** @param defs the `$defs` that references of the schema refer to */
export function shapeOf(schema: JsonObject, defs: unknown): Shape {
  const parts = partsOf(schema, defs);
  const typed = parts.flatMap(({ type }) => (type === undefined ? [] : [[type].flat() as string[]]));
  const valued = parts.flatMap((part) => {
    const values = 'const' in part ? [part.const] : part.enum;
    return Array.isArray(values) ? [new Set(values.map(canonicalJson))] : [];
  });
  const fields = parts.flatMap(({ properties }) => entriesOf(properties));
  const required = parts.flatMap((part) => listOf(part.required)).filter((name) => typeof name === 'string');
  const patterns = parts.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : [])).sort();
  const texts = [...valued.flatMap((values) => [...values]), ...fields.map(([name]) => name), ...required, ...patterns];
  return {
    types: typed.length === 0 ? null : typed.reduce((both, types) => both.filter((type) => includesType(types, type))),
    fields: new Map(fields.flatMap(([name, field]) => (isObject(field) ? [[name, field]] : []))),
    required: new Set(required),
    isClosed: parts.some(({ additionalProperties }) => additionalProperties === false),
    more: parts.map(({ additionalProperties }) => additionalProperties).find(isObject) ?? null,
    items: parts.map(({ items }) => items).find(isObject) ?? null,
    values:
      valued.length === 0
        ? null
        : valued.reduce((both, values) => new Set([...both].filter((value) => values.has(value)))),
    bounds: boundsOf(parts),
    patterns,
    choices: parts.flatMap(({ anyOf, oneOf }) => [...listOf(anyOf), ...listOf(oneOf)]).filter(isObject),
    chars: texts.reduce((sum, text) => sum + text.length + 1, PART * parts.length),
  };
}

export function includesType(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

/** A choice as a text that is the same for the same choice. */
export function choiceKey(choice: JsonObject): string {
  return canonicalJson(withoutProse(choice));
}

function boundsOf(parts: readonly JsonObject[]): ReadonlyMap<string, number> {
  const bounds = new Map<string, number>();
  for (const [name, direction] of BOUNDS) {
    const stated = parts.map((part) => part[name]).filter((value) => typeof value === 'number');
    if (stated.length > 0) bounds.set(name, direction === 'up' ? Math.max(...stated) : Math.min(...stated));
  }
  return bounds;
}
