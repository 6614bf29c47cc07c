/** `$defs` of a JSON Schema, and references to them. */

export type JsonSchema = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const REF = /^#\/\$defs\/[^/]+$/;

/** What a reference refers to; undefined: nothing. */
export function definitionNamed(ref: string, definitions: unknown): JsonSchema | undefined {
  const written = ref.slice('#/$defs/'.length);
  const name = written.includes('~') ? written.replaceAll('~1', '/').replaceAll('~0', '~') : written;
  if (!isObject(definitions) || !Object.hasOwn(definitions, name)) return undefined;
  const found = definitions[name];
  return isObject(found) ? found : undefined;
}

/** Where a definition judges a value by itself again; null: nowhere. A circle that passes through a field or an item ends with the value. */
export function circleIn({ $defs }: JsonSchema): string | null {
  const done = new Set<string>();
  const open = new Set<string>();
  const circles = (name: string): boolean => {
    if (open.has(name)) return true;
    if (done.has(name)) return false;
    open.add(name);
    const found = sameValueRefs(definitionNamed(`#/$defs/${name}`, $defs)).some(circles);
    open.delete(name);
    done.add(name);
    return found;
  };
  const names = isObject($defs)
    ? Object.keys($defs).map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'))
    : [];
  const name = names.find(circles);
  return name === undefined ? null : `argsSchema.$defs.${name}`;
}

/** Names of the definitions by which a schema judges its own value. */
function sameValueRefs(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const own = typeof schema.$ref === 'string' ? [schema.$ref.slice('#/$defs/'.length)] : [];
  return [...own, ...[schema.allOf, schema.anyOf, schema.oneOf].flat().flatMap(sameValueRefs)];
}
