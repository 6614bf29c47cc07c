/** Arguments that a model neither sees nor decides. Pure. */
import { isFields, type Fields } from '@weft/kernel';
import type { JsonSchema } from '@weft/json-schema';

/** The definitions of a schema begin with it. */
const DEFINITIONS = '#/$defs/';
const COMBINED = ['allOf', 'anyOf', 'oneOf'] as const;
/** How often a path is followed into a reference. */
const MAX_REFERENCES = 32;

/**
 * The input with fixed values in their places, whatever it had there.
 *
 * @returns null where an object is needed on the way and the input has something else
 */
export function withFixed(input: Fields, fixed: Fields): Fields | null {
  let given: Fields | null = input;
  for (const [path, value] of Object.entries(fixed)) given &&= put(given, path.split('.'), value);
  return given;
}

function put(into: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields | null {
  if (rest.length === 0) return { ...into, [name]: value };
  const present = Object.hasOwn(into, name) ? into[name] : {};
  if (!isFields(present)) return null;
  const inner = put(present, rest, value);
  return inner && { ...into, [name]: inner };
}

/**
 * The schema of what a model may give: without what is fixed, and without definitions that nothing refers to any more.
 *
 * @returns the paths that the schema does not name, too
 */
export function visibleSchema(
  schema: JsonSchema,
  paths: readonly string[],
): { readonly schema: JsonSchema; readonly unknown: readonly string[] } {
  const defs = fieldsOf(schema.$defs);
  const unknown: string[] = [];
  let seen = schema;
  for (const path of paths) {
    const without = removed(seen, path.split('.'), defs, MAX_REFERENCES);
    if (without === null) unknown.push(path);
    else seen = without;
  }
  return { schema: withUsedDefinitions(seen, defs), unknown };
}

/** Null: the schema does not name the path. */
function removed(schema: Fields, path: readonly string[], defs: Fields, left: number): Fields | null {
  const { $ref: reference, ...others } = schema;
  if (typeof reference === 'string') {
    const name = reference.startsWith(DEFINITIONS) ? reference.slice(DEFINITIONS.length) : '';
    const target = Object.hasOwn(defs, name) ? defs[name] : undefined;
    // other places may refer to it: this one gets a copy of its own
    return left > 0 && isFields(target) ? removed({ ...target, ...others }, path, defs, left - 1) : null;
  }
  const [name = '', ...rest] = path;
  let found: Fields | null = null;
  const properties = fieldsOf(schema.properties);
  if (Object.hasOwn(properties, name)) {
    const { [name]: inner, ...remaining } = properties;
    const within = rest.length === 0 ? null : isFields(inner) ? removed(inner, rest, defs, left) : null;
    if (rest.length > 0 && within === null) return null;
    found = { ...schema, properties: within === null ? remaining : { ...remaining, [name]: within } };
    if (within === null || isNeedless(within)) found = withoutRequired(found, name);
  }
  for (const word of COMBINED) {
    const branches = (found ?? schema)[word];
    if (!Array.isArray(branches)) continue;
    const changed = branches.map((branch: unknown) => (isFields(branch) ? removed(branch, path, defs, left) : null));
    if (changed.every((branch) => branch === null)) continue;
    found = { ...(found ?? schema), [word]: changed.map((branch, i) => branch ?? (branches[i] as unknown)) };
  }
  return found;
}

/** Weft makes the object where the model gives none. */
function isNeedless({ required }: Fields): boolean {
  return !Array.isArray(required) || required.length === 0;
}

function withoutRequired(schema: Fields, name: string): Fields {
  const { required, ...others } = schema;
  if (!Array.isArray(required)) return schema;
  const left = required.filter((each) => each !== name);
  return left.length === 0 ? others : { ...others, required: left };
}

function withUsedDefinitions(schema: Fields, defs: Fields): JsonSchema {
  const { $defs: _all, ...root } = schema;
  const used = new Map<string, unknown>();
  const look = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(look);
    if (!isFields(value)) return;
    const { $ref: reference } = value;
    const name = typeof reference === 'string' ? reference.slice(DEFINITIONS.length) : '';
    if (Object.hasOwn(defs, name) && !used.has(name)) {
      used.set(name, defs[name]);
      look(defs[name]);
    }
    Object.values(value).forEach(look);
  };
  look(root);
  return used.size === 0 ? root : { ...root, $defs: Object.fromEntries(used) };
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
