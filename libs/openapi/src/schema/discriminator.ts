import { entriesOf, isObject, own, textOf, type JsonObject } from '../json.js';

/**
 * A `discriminator` says which of the choices a value of its field means. JSON Schema ignores it, so each choice that is a reference
 * gets the field as a constant.
 *
 * @param schema the converted schema, which is changed
 * @param node the schema in the document
 * @param targetOf finds what a reference of the document refers to
 */
export function withDiscriminator(
  schema: Record<string, unknown>,
  node: JsonObject,
  targetOf: (ref: string) => unknown,
): Record<string, unknown> {
  const discriminator = own(node, 'discriminator');
  const field = textOf(discriminator, 'propertyName');
  const keyword = ['oneOf', 'anyOf'].find((each) => Array.isArray(schema[each]));
  if (field === undefined || keyword === undefined) return schema;
  const choices = own(node, keyword) as readonly unknown[];
  const values = valuesByRef(own(discriminator, 'mapping'));
  schema[keyword] = (schema[keyword] as readonly JsonObject[]).map((converted, i) => {
    const ref = textOf(choices[i], '$ref');
    if (ref === undefined || converted.$ref === undefined) return converted;
    const named = values.get(ref) ?? [ref.split('/').at(-1) ?? ''];
    // what the choice itself says of the field is more exact than its name
    const stated = own(own(targetOf(ref), 'properties'), field);
    if (isObject(stated) && ('const' in stated || 'enum' in stated)) return converted;
    const value = named.length === 1 ? { const: named[0] } : { enum: named };
    return { ...converted, properties: Object.fromEntries([[field, value]]), required: [field] };
  });
  return schema;
}

/** A mapping has references, or names of schemas. */
function valuesByRef(mapping: unknown): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>();
  for (const [value, target] of entriesOf(mapping)) {
    if (typeof target !== 'string') continue;
    const ref = target.startsWith('#') ? target : `#/components/schemas/${target}`;
    values.set(ref, [...(values.get(ref) ?? []), value]);
  }
  return values;
}
