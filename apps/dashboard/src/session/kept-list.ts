import { useLocalStorage } from '@mantine/hooks';
import { useMe, type Me } from './me';

/** More would make the browser slow to start, and nobody would find anything. */
const MOST = 50;

/**
 * A list that this browser keeps for this person in this company. Whatever is stored is read: others may have written it.
 *
 * @param read one entry; null: it is not one
 */
export function useKeptList<Entry>(name: string, read: (stored: unknown) => Entry | null) {
  const me = useMe();
  const [all, setAll] = useLocalStorage<readonly Entry[]>({
    key: keptUnder(name, me),
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: (text) => readKept(text, read),
  });
  return {
    all,
    isFull: all.length >= MOST,
    set: (next: readonly Entry[]): void => setAll(next.slice(-MOST)),
  };
}

export const keptUnder = (name: string, { company_id, user }: Me): string => `weft-${name}.${company_id}.${user.id}`;

export function readKept<Entry>(text: string | undefined, read: (stored: unknown) => Entry | null): readonly Entry[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((each) => read(each) ?? []).slice(0, MOST);
  } catch {
    return [];
  }
}
