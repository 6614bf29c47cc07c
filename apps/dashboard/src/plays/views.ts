import { useLocalStorage } from '@mantine/hooks';
import { useMe } from '../session/me';
import { readPlaysPageSearch, type PlaysPageSearch } from './plays-search';

/** A filter of plays under a name. */
export interface View {
  readonly name: string;
  readonly search: PlaysPageSearch;
}

const MOST = 50;

/** Of this person in this company, in this browser. */
export function useViews() {
  const { user, company_id } = useMe();
  const [views, setViews] = useLocalStorage<readonly View[]>({
    key: `weft-views.${company_id}.${user.id}`,
    defaultValue: NONE,
    getInitialValueInEffect: false,
    deserialize: readViews,
  });
  return {
    views,
    isFull: views.length >= MOST,
    save: (view: View): void => setViews([...views.filter(({ name }) => name !== view.name), view]),
    remove: (gone: string): void => setViews(views.filter(({ name }) => name !== gone)),
  };
}

const NONE: readonly View[] = [];

/** Whatever is stored. */
export function readViews(text: string | undefined): readonly View[] {
  const stored = parsed(text);
  if (!Array.isArray(stored)) return NONE;
  return stored.slice(0, MOST).flatMap((each: unknown) => {
    const { name, search } = (each ?? {}) as Partial<Record<keyof View, unknown>>;
    if (typeof name !== 'string' || typeof search !== 'object' || search === null) return [];
    return [{ name, search: readPlaysPageSearch(search as Record<string, unknown>) }];
  });
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return null;
  }
}
