export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Lines left and right of which the common ones are found exactly; in larger texts all of the middle counts as replaced. */
const MAX_PAIRS = 4_000_000;

/** Two texts line by line, with as few changes as possible. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - start && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return [
    ...linesOf('same', a.slice(0, start)),
    ...middle(a.slice(start, a.length - tail), b.slice(start, b.length - tail)),
    ...linesOf('same', a.slice(a.length - tail)),
  ];
}

const linesOf = (kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind, text }));

/** The longest common subsequence. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > MAX_PAIRS) return [...linesOf('gone', a), ...linesOf('new', b)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i++] ?? '' });
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'gone', text: a[i++] ?? '' });
    } else lines.push({ kind: 'new', text: b[j++] ?? '' });
  }
  return lines;
}

/** A stretch of equal lines that is not shown. */
export interface Fold {
  readonly kind: 'fold';
  readonly count: number;
}

const CONTEXT = 3;

/** Without equal lines that are far from every change. */
export function folded(lines: readonly DiffLine[]): (DiffLine | Fold)[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, i) => {
    if (kind === 'same') return;
    for (let near = Math.max(0, i - CONTEXT); near <= Math.min(lines.length - 1, i + CONTEXT); near += 1) {
      isNear[near] = true;
    }
  });
  const shown: (DiffLine | Fold)[] = [];
  lines.forEach((line, i) => {
    const last = shown.at(-1);
    if (isNear[i]) shown.push(line);
    else if (last?.kind === 'fold') shown[shown.length - 1] = { kind: 'fold', count: last.count + 1 };
    else shown.push({ kind: 'fold', count: 1 });
  });
  return shown;
}
