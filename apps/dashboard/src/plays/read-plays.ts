import type { components } from '@weft/client';
import { answerOf, api } from '../api/client';
import type { Counts } from './counts';
import type { PlayPage } from './play';
import { filterOf, isFiltered, type PlaysSearch } from './plays-search';

interface Place {
  readonly size: number;
  readonly cursor?: string;
}

/** One page of the list. @throws Refusal */
export function readPlays(search: PlaysSearch, place: Place): Promise<PlayPage> {
  return answerOf(api.GET('/api/v1/plays', { params: { query: queryOf({ ...search, ...place }) }, querySerializer }));
}

/** How many are in each state, whatever state the filter has. @throws Refusal */
export function readCounts(search: PlaysSearch): Promise<Counts> {
  const { state: _, ...rest } = filterOf(search);
  return answerOf(api.GET('/api/v1/plays/counts', { params: { query: queryOf(rest) }, querySerializer }));
}

/** Which plays a bulk operation is about: docs/http-api.md §5. */
export type BulkTarget = Pick<components['schemas']['StartBulkBody'], 'ids' | 'filter' | 'all'>;

export function targetOf(search: PlaysSearch): BulkTarget {
  if (!isFiltered(search)) return { all: true };
  const { state, label, ...texts } = filterOf(search);
  return { filter: { ...texts, ...(state && { state: state.join(',') }), ...(label && { label: [...label] }) } };
}

function queryOf<T extends PlaysSearch>({ state, label, ...rest }: T) {
  return { ...rest, ...(state && { state: [...state] }), ...(label && { label: [...label] }) };
}

/** States with commas between them, labels one by one, as the API reads them. */
function querySerializer(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    name === 'label' ? (value as string[]).map((each) => [name, each]) : [[name, String(value)]],
  );
  return new URLSearchParams(pairs).toString();
}
