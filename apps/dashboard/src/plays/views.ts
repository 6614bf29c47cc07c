import { useKeptList } from '../session/kept-list';
import { readPlaysPageSearch, type PlaysPageSearch } from './plays-search';

/** A filter of plays under a name. */
export interface View {
  readonly name: string;
  readonly search: PlaysPageSearch;
}

export function useViews() {
  const { all: views, isFull, set } = useKeptList('views', readView);
  return {
    views,
    isFull,
    save: (view: View): void => set([...views.filter(({ name }) => name !== view.name), view]),
    remove: (gone: string): void => set(views.filter(({ name }) => name !== gone)),
  };
}

export function readView(stored: unknown): View | null {
  const { name, search } = (stored ?? {}) as Partial<Record<keyof View, unknown>>;
  if (typeof name !== 'string' || typeof search !== 'object' || search === null) return null;
  return { name, search: readPlaysPageSearch(search as Record<string, unknown>) };
}
