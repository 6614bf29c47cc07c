/**
 * Puts stored values in the places where a document says `[left out]`, and in no others: a secret must not get where it was not.
 * Fields are found by their names, and the entries of a list by their `ref`, `key` or `name`, which no other entry may have. Entries
 * without one are found by their index, if nothing else in their list has changed: otherwise an index does not say which entry
 * it was. Pure.
 */
import { isFields, type Fields } from '@weft/kernel';

/** Stands where a value was left out of a document. */
export const LEFT_OUT = '[left out]';

/** The names of fields and the positions in lists, from the outside in: a name may contain dots. */
export type Path = readonly string[];

type Entries = readonly unknown[];

/**
 * `wanted` with the stored texts and numbers. What has none in its place stays left out.
 *
 * @param onMissing is called with each such place
 */
export function fillLeftOut(
  wanted: unknown,
  stored: unknown,
  onMissing: (place: Path) => void,
  place: Path = [],
): unknown {
  if (wanted === LEFT_OUT && !isPlain(stored)) onMissing(place);
  if (wanted === LEFT_OUT) return isPlain(stored) ? stored : wanted;
  if (Array.isArray(wanted)) {
    const entries = Array.isArray(stored) ? entriesFor(wanted, stored) : [];
    return wanted.map((entry, i) => fillLeftOut(entry, entries[i], onMissing, [...place, String(i)]));
  }
  if (!isFields(wanted)) return wanted;
  const fields = isFields(stored) ? stored : {};
  return Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [
      name,
      fillLeftOut(value, ownOf(fields, name), onMissing, [...place, name]),
    ]),
  );
}

/** The stored entry of each entry of a list, by position in `wanted`; undefined: none is surely the same. */
function entriesFor(wanted: Entries, stored: Entries): Entries {
  if (isSame(wanted, stored)) return stored;
  const [asked, given] = [byIdentity(wanted), byIdentity(stored)];
  return wanted.map((entry) => {
    const identity = identityOf(entry);
    return identity !== null && asked.has(identity) ? given.get(identity) : undefined;
  });
}

/** The entries with an identity that no other one has. */
function byIdentity(list: Entries): ReadonlyMap<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const [identity, [entry, ...others]] of Map.groupBy(list, identityOf)) {
    if (identity !== null && others.length === 0) entries.set(identity, entry);
  }
  return entries;
}

const IDENTITIES = ['ref', 'key', 'name'];

function identityOf(entry: unknown): string | null {
  if (!isFields(entry)) return null;
  const field = IDENTITIES.find((name) => typeof ownOf(entry, name) === 'string');
  return field === undefined || entry[field] === LEFT_OUT ? null : `${field} ${entry[field] as string}`;
}

/** Whether they are equal but for what `wanted` leaves out. */
function isSame(wanted: unknown, stored: unknown): boolean {
  if (wanted === LEFT_OUT) return isPlain(stored);
  if (Array.isArray(wanted))
    return (
      Array.isArray(stored) && wanted.length === stored.length && wanted.every((each, i) => isSame(each, stored[i]))
    );
  if (!isFields(wanted) || !isFields(stored)) return wanted === stored;
  const names = Object.keys(wanted);
  return (
    names.length === Object.keys(stored).length &&
    names.every((name) => Object.hasOwn(stored, name) && isSame(wanted[name], stored[name]))
  );
}

function ownOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** What an export may leave out. */
function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
