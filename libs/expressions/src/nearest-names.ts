/** More candidates are not compared: a person reads the answer. */
const MAX_CANDIDATES = 200;
const MAX_NAME_CHARS = 64;
const MAX_ANSWERS = 3;
/** Names of one answer for which suggestions are made. */
const MAX_NAMES = 10;

/** Those of `candidates` that `name` may have been meant as: at most three, nearest first, ignoring case. */
export function nearestNames(name: string, candidates: Iterable<string>): readonly string[] {
  const wanted = name.slice(0, MAX_NAME_CHARS).toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const found: { candidate: string; distance: number }[] = [];
  let seen = 0;
  for (const candidate of candidates) {
    seen += 1;
    if (seen > MAX_CANDIDATES) break;
    if (candidate.length > MAX_NAME_CHARS) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), limit);
    if (distance <= limit) found.push({ candidate, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_ANSWERS)
    .map(({ candidate }) => candidate);
}

/**
 * Suggestions for the names of one answer from the same candidates: each name is compared once, and only the first few
 * are.
 */
export class Suggestions {
  private readonly known = new Map<string, readonly string[]>();

  constructor(private readonly candidates: readonly string[]) {}

  for(name: string): readonly string[] {
    const known = this.known.get(name);
    if (known) return known;
    if (this.known.size >= MAX_NAMES) return [];
    const found = nearestNames(name, this.candidates);
    this.known.set(name, found);
    return found;
  }
}

/**
 * Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
 *
 * @param limit a larger distance is returned as any number above it
 */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast = new Uint16Array(b.length + 1);
  let last = new Uint16Array(b.length + 1).map((_, j) => j);
  let row = new Uint16Array(b.length + 1);
  for (let i = 1; i <= a.length; i += 1) {
    row[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      ) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      }
      row[j] = cost;
      if (cost < least) least = cost;
    }
    // a swap refers to the row before last, so two rows decide
    if (least > limit + 1) return limit + 1;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return at(last, b.length);
}

function at(row: Uint16Array, index: number): number {
  return row[index] ?? 0;
}
