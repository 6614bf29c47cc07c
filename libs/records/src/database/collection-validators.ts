import type { CollectionEntry } from './collections.js';
import type { Mongo } from '@weft/store';

/** How MongoDB checks the documents of a collection. It stores a document that breaks its schema, and warns of it in its log. */
export interface Validation {
  readonly validator: { readonly $jsonSchema: unknown };
  /** Documents that broke the schema before stay writable without a warning. */
  readonly validationLevel: 'moderate';
  readonly validationAction: 'warn';
}

interface StoredOptions {
  readonly validator?: Readonly<Record<string, unknown>>;
  readonly validationAction?: string;
}

export function validationOf({ schema }: CollectionEntry): Validation {
  // through JSON, because the driver would send an undefined member as null
  const $jsonSchema = JSON.parse(JSON.stringify(schema.toJSONSchema({ useBsonType: true }))) as unknown;
  return { validator: { $jsonSchema }, validationLevel: 'moderate', validationAction: 'warn' };
}

/**
 * Has MongoDB check the documents of these collections against their schemas: ADR 55. A collection of an earlier version gets the
 * schema of this one; a validator that somebody else has set stays. Never rejects: Weft works without the check.
 *
 * @param onFault called once if a validator cannot be set, for example because the database user may not run `collMod`
 */
export async function setValidators(
  mongo: Mongo,
  collections: readonly CollectionEntry[],
  onFault: (error: unknown) => void,
): Promise<void> {
  try {
    const stored = await mongo.db.listCollections({}, { nameOnly: false, signal: mongo.deadline() }).toArray();
    const optionsByName = new Map(stored.map(({ name, options }) => [name, (options ?? {}) as StoredOptions]));
    for (const entry of collections) {
      const options = optionsByName.get(entry.name);
      const validation = validationOf(entry);
      if (!options || !isReplaceable(options) || isSame(options.validator, validation.validator)) continue;
      await mongo.db.command({ collMod: entry.name, ...validation }, { signal: mongo.deadline() });
    }
  } catch (error) {
    onFault(error);
  }
}

/** Whether the collection has no validator, or one that an earlier version set here. */
function isReplaceable({ validator = {}, validationAction }: StoredOptions): boolean {
  const operators = Object.keys(validator);
  return operators.length === 0 || (validationAction === 'warn' && operators.join() === '$jsonSchema');
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
