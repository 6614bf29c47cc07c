/** Lists of objects in a value, as tables. Pure. */
import { isBranch } from './tree-model';

type Row = Readonly<Record<string, unknown>>;

export interface Rows {
  /** Where they are: names of fields. */
  readonly path: readonly string[];
  readonly rows: readonly Row[];
}

const MOST_DEPTH = 4;
const MOST_SEEN = 500;
const LEAST_ROWS = 2;
/** Of which the columns are made. */
const ROWS_READ = 50;
const MOST_COLUMNS = 12;

/** The longest list of objects in a value; null: there is none. */
export function rowsIn(value: unknown): Rows | null {
  let best: Rows | null = null;
  let seen = 0;
  const look = (at: unknown, path: readonly string[]): void => {
    if (path.length > MOST_DEPTH || (seen += 1) > MOST_SEEN || !isBranch(at)) return;
    if (Array.isArray(at)) {
      const rows = at as readonly unknown[];
      const areRows = rows.slice(0, ROWS_READ).every((each) => isBranch(each) && !Array.isArray(each));
      if (areRows && rows.length >= LEAST_ROWS && rows.length > (best?.rows.length ?? 0)) {
        best = { path, rows: rows as readonly Row[] };
      }
      return;
    }
    for (const [name, each] of Object.entries(at)) look(each, [...path, name]);
  };
  look(value, []);
  return best;
}

/** Names of the fields of the first rows, those that most have first; the first 12. */
export function columnsOf(rows: readonly Row[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const row of rows.slice(0, ROWS_READ)) {
    for (const name of Object.keys(isBranch(row) ? row : {})) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  return names.slice(0, MOST_COLUMNS);
}
