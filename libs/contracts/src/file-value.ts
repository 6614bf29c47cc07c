/** Files in args, outputs and bodies: values that refer to bytes in the payload store. */

const PATH = '/api/v1/payloads/';
const ID = /^\/api\/v1\/payloads\/([0-9a-f]{24})$/;

/** What an upload is answered with, and what an output has in the place of bytes. */
export interface FileValue {
  /** The path that gives the bytes. */
  readonly $ref: string;
  readonly bytes: number;
  readonly contentType: string;
  /** As its sender named it; null: not at all. */
  readonly filename: string | null;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Files that one value may refer to. */
export const MOST_FILES = 1_000;

export function filePath(id: string): string {
  return `${PATH}${id}`;
}

/** Of `{ $ref: "/api/v1/payloads/<id>", … }`; null for every other value: users have `$ref` for other things. */
export function fileIdOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$ref')) return null;
  const { $ref } = value as { readonly $ref: unknown };
  return typeof $ref === 'string' ? (ID.exec($ref)?.[1] ?? null) : null;
}

/** The files that a JSON value refers to, each once; it stops when there are more than `MOST_FILES`. */
export function fileIdsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null || found.size > MOST_FILES) return found;
  const id = fileIdOf(value);
  if (id !== null) found.add(id);
  // `in` over a list would make a text of each of its positions
  if (Array.isArray(value)) for (const item of value) fileIdsIn(item, found);
  else for (const name in value) fileIdsIn((value as Readonly<Record<string, unknown>>)[name], found);
  return found;
}
