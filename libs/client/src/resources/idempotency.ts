const BYTES = 16;

/** A key that nobody else has. Not `randomUUID`: browsers have it on pages by https only. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
