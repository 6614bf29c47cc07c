/** Names and candidates beyond these are not worth the time: a person reads the answer. */
const MAX_CANDIDATES = 200;
const MAX_NAME_CHARS = 64;
const MAX_ANSWERS = 3;

/** Of `candidates`, those that `name` may have been meant as: at most three, nearest first. Case counts as nothing. */
export function nearestNames(name: string, candidates: Iterable<string>): readonly string[] {
  const wanted = name.slice(0, MAX_NAME_CHARS).toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const found: { candidate: string; distance: number }[] = [];
  let seen = 0;
  for (const candidate of candidates) {
    seen += 1;
    if (seen > MAX_CANDIDATES) break;
    if (candidate.length > MAX_NAME_CHARS) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= limit) found.push({ candidate, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_ANSWERS)
    .map(({ candidate }) => candidate);
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
