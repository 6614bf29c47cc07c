/** Codes of MongoDB for a document that an update would make larger than 16 MB. */
const TOO_LARGE_CODES: ReadonlySet<unknown> = new Set([10_334, 17_419, 17_420]);

/** True when the same write of the same document fails however often it is tried. */
export function isDocumentTooLarge(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && TOO_LARGE_CODES.has(error.code);
}
