/**
 * Ids are opaque 20-character strings (lower-case Crockford base32 of 96 bits) that sort by the time of their creation:
 * 48 bits of milliseconds, a 16-bit counter, 32 bits that identify the process.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID = /^[0-9a-hjkmnp-tv-z]{20}$/;

export type NewId = () => string;

/**
 * @param now epoch milliseconds
 * @param processTag 32 random bits, fixed for the life of the process
 */
export function createIdSource(now: () => number, processTag: number): NewId {
  const tag = processTag >>> 0;
  let lastMs = 0;
  let counter = 0;
  let headOf = -1;
  let head = '';
  return () => {
    const ms = Math.max(now(), lastMs);
    counter = ms === lastMs ? counter + 1 : 0;
    lastMs = ms;
    if (counter > 0xffff) {
      lastMs += 1;
      counter = 0;
    }
    // in two halves of 50 bits, which a number represents exactly; the first changes only every 4 ms
    const high = Math.floor(lastMs / 4);
    if (high !== headOf) {
      headOf = high;
      head = tenLetters(high);
    }
    return head + tenLetters((lastMs % 4) * 2 ** 48 + counter * 2 ** 32 + tag);
  };
}

function tenLetters(bits: number): string {
  let text = '';
  let rest = bits;
  for (let i = 0; i < 10; i += 1) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Whether a text has the format of an id; it does not say whether the object exists. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** An id derived from 96 bits of a hash, for objects that get the same id in every process (a schedule's slot). */
export function idFromBits(bits: bigint): string {
  return encode(bits & ((1n << 96n) - 1n));
}

/** This many ids that begin with this one and sort as they are listed. They are those of one maker: nobody else makes them. */
export function idsFrom(first: string, count: number): string[] {
  const bits = decode(first);
  return Array.from({ length: count }, (_, i) => encode(bits + (BigInt(i) << 32n)));
}

/** The smallest id that could have been created `ms` milliseconds before this one. */
export function idBefore(id: string, ms: number): string {
  const madeAt = decode(id) >> 48n;
  const earlier = madeAt - BigInt(Math.round(ms));
  return encode((earlier > 0n ? earlier : 0n) << 48n);
}

/** The largest id that can be created up to that time (epoch ms). */
export function lastIdAt(epochMs: number): string {
  return encode((BigInt(Math.floor(epochMs)) << 48n) | 0xffffffffffffn);
}

/** When an id was created, epoch ms. */
export function madeAt(id: string): number {
  return Number(decode(id) >> 48n);
}

function decode(id: string): bigint {
  let bits = 0n;
  for (const letter of id) bits = (bits << 5n) | BigInt(ALPHABET.indexOf(letter));
  return bits;
}

function encode(bits: bigint): string {
  let text = '';
  let rest = bits;
  for (let i = 0; i < 20; i += 1) {
    text = ALPHABET.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text;
}
