/** Which columns the list of plays has, besides state and flow. Pure. */
import type { PlaysPageSearch } from './plays-search';

export interface Column {
  readonly id: string;
  readonly title: string;
  /** As a track of a grid. */
  readonly width: string;
}

export const COLUMNS = [
  { id: 'labels', title: 'Labels', width: 'minmax(7rem, 1.3fr)' },
  { id: 'id', title: 'Play', width: 'minmax(6rem, 0.9fr)' },
  { id: 'key', title: 'Key', width: 'minmax(6rem, 0.9fr)' },
  { id: 'trigger', title: 'Started by', width: '5.5rem' },
  { id: 'person', title: 'Person', width: 'minmax(5rem, 0.7fr)' },
  { id: 'version', title: 'Version', width: '4rem' },
  { id: 'priority', title: 'Priority', width: '4.5rem' },
  { id: 'accepted', title: 'Accepted', width: '7rem' },
  { id: 'ended', title: 'Ended', width: '7rem' },
  { id: 'took', title: 'Took', width: '6rem' },
  { id: 'error', title: 'Error', width: 'minmax(6rem, 1.5fr)' },
] as const satisfies readonly Column[];

export type ColumnId = (typeof COLUMNS)[number]['id'];

const FIRST: readonly ColumnId[] = ['labels', 'id', 'trigger', 'accepted', 'took', 'error'];

/** Those of the address, in the order that all of them have. */
export function shownColumns({ cols }: PlaysPageSearch): readonly (typeof COLUMNS)[number][] {
  const asked: readonly string[] = cols ?? FIRST;
  return COLUMNS.filter(({ id }) => asked.includes(id));
}

/** The address after one was added or taken away; those that one sees first need no place in it. */
export function withColumn(search: PlaysPageSearch, id: ColumnId): PlaysPageSearch {
  const ids = new Set<string>(shownColumns(search).map((each) => each.id));
  if (!ids.delete(id)) ids.add(id);
  const { cols: _, ...rest } = search;
  const isFirst = ids.size === FIRST.length && FIRST.every((each) => ids.has(each));
  // an empty list is no part of an address
  const cols = ids.size === 0 ? ['none'] : COLUMNS.filter((each) => ids.has(each.id)).map((each) => each.id);
  return isFirst ? rest : { ...rest, cols };
}

/** With state and flow, and the place of the box before them. */
export function tracksOf(columns: readonly Column[]): string {
  return ['2rem', '7.75rem', 'minmax(8rem, 1.4fr)', ...columns.map(({ width }) => width)].join(' ');
}
