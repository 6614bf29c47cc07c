/** The hash of a part of a text: 32 bits. */
export type NameHash = (text: string, start: number, end: number) => number;

/**
 * A hash with which nobody can foresee which names have the same one.
 *
 * @param drawn 32 bits, by chance: nearly all of them give hashes that differ where names do, but for a few
 */
export function nameHash(drawn: number): NameHash {
  // 5 modulo 8: the powers of a number near 1 or -1, modulo 256 or more, hardly differ
  const factor = (drawn & ~7) | 5;
  return (text, start, end) => {
    let hash = 0;
    for (let i = start; i < end; i += 1) hash = (Math.imul(hash, factor) + text.charCodeAt(i)) | 0;
    return hash;
  };
}
