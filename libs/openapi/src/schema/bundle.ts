import type { JsonObject } from '../json.js';
import type { KeptSchema, SchemaLibrary } from './schema-library.js';

export interface Bundle {
  readonly defs: JsonObject;
  /** False: the farthest definitions take any value, since there was no room for them. */
  readonly isWhole: boolean;
}

/**
 * The definitions that some schemas need, as their `$defs`, the nearest ones first.
 *
 * @param maxChars of the JSON of all of it
 */
export function bundle(schemas: readonly KeptSchema[], library: SchemaLibrary, maxChars: number): Bundle {
  const defs: [string, JsonObject][] = [];
  let chars = schemas.reduce((sum, each) => sum + each.chars, 0);
  let isWhole = true;
  const refs = new Set(schemas.flatMap((each) => [...each.refs]));
  // what is added while this walks over the set is visited, too
  for (const ref of refs) {
    const { name, schema, refs: inner, chars: added } = library.definition(ref);
    const isRoom = chars + added <= maxChars;
    isWhole &&= isRoom;
    chars += name.length + 6 + (isRoom ? added : 0);
    defs.push([name, isRoom ? schema : {}]);
    if (isRoom) for (const each of inner) refs.add(each);
  }
  return { defs: Object.fromEntries(defs), isWhole };
}
