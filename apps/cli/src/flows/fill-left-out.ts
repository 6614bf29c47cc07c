/**
 * What the API does with a document (`apps/api/src/flows/documents/fill-left-out.ts`), so that a plan shows it: stored values are
 * put in the places where the document says `[left out]`. The two files are the same, because the command line is published
 * without the server. Pure.
 */

/** Stands where a value was left out of a document. */
export const LEFT_OUT = '[left out]';

type Fields = Readonly<Record<string, unknown>>;
type Entries = readonly unknown[];

/**
 * `wanted` with the stored values; what is not stored as a text or a number, and what could be several stored values, stays left
 * out. It takes at most some 50 ms, whatever is stored.
 */
export function fillLeftOut(wanted: unknown, stored: unknown): unknown {
  return fill(wanted, stored, new Search(wanted));
}

function fill(wanted: unknown, stored: unknown, search: Search): unknown {
  if (wanted === LEFT_OUT) return isPlain(stored) ? stored : wanted;
  if (!search.isOpen(wanted)) return wanted;
  if (Array.isArray(wanted)) {
    const found = Array.isArray(stored) ? pairEntries(wanted, stored, search) : [];
    return wanted.map((entry, i) => fill(entry, found[i], search));
  }
  const fields = isFields(stored) ? stored : {};
  return Object.fromEntries(
    Object.entries(wanted as Fields).map(([name, value]) => [name, fill(value, ownOf(fields, name), search)]),
  );
}

/** Values of lists that are looked at for a document's value; then entries are the same only if no other one has their name. */
export const MOST_LOOKS = 200_000;

/** What is known of the value that is filled in. */
class Search {
  /** How many values may still be looked at. */
  private looks = MOST_LOOKS;
  private readonly open = new Set<unknown>();

  constructor(wanted: unknown) {
    this.markOpen(wanted);
  }

  /** Whether something in it was left out. */
  isOpen(value: unknown): boolean {
    return value === LEFT_OUT || this.open.has(value);
  }

  /** Looks at the values of a list, and returns their number; null: there are more than may still be looked at. */
  measure(list: Entries): number | null {
    const size = sizeOf(list, this.looks);
    const isTooLarge = size > this.looks;
    this.looks = Math.max(0, this.looks - size);
    return isTooLarge ? null : size;
  }

  /** False: these are more values than may still be looked at. */
  mayLookAt(size: number): boolean {
    if (size > this.looks) return false;
    this.looks -= size;
    return true;
  }

  private markOpen(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return value === LEFT_OUT;
    for (const inner of Object.values(value)) if (this.markOpen(inner)) this.open.add(value);
    return this.open.has(value);
  }
}

/** Each different set of places where entries of a list leave out values costs a look at all stored entries: the sets after these are not compared. */
const MOST_FORMS = 20;

/**
 * The stored entry of each entry of a list, by position in `wanted`; undefined: the list has no such entry, or several.
 * Entries that are equal but for what was left out are the same, if the document has as many of them as the flow; of the others
 * those of one `name`, also if the document has as many of them. Both are taken in their order. Where not all entries could be
 * compared, their order says nothing: then those of one `name` are the same only if each side has one of them left.
 */
function pairEntries(wanted: Entries, stored: Entries, search: Search): Entries {
  const pairs = new Pairs(wanted, stored, search);
  const size = search.measure(stored);
  if (size === null || search.measure(wanted) === null) {
    pairs.pair({ of: nameOf, only: () => true, fits: isOneEach });
    return pairs.found;
  }
  const places = wanted.map((entry) => (search.isOpen(entry) ? placesIn(entry).join('\n') : ''));
  pairs.pair({ of: (each) => textOf(each), only: (i) => places[i] === '', fits: () => true });
  const forms = [...new Set(places)].filter((each) => each !== '');
  let compared = 0;
  for (const form of forms.slice(0, MOST_FORMS)) {
    if (!search.mayLookAt(size)) break;
    compared += 1;
    const like = wanted[places.indexOf(form)];
    pairs.pair({ of: (each) => textOf(each, like), only: (i) => places[i] === form, fits: isAsMany });
  }
  pairs.pair({ of: nameOf, only: () => true, fits: compared === forms.length ? isAsMany : isOneEach });
  return pairs.found;
}

interface Rule {
  /** Entries with the same text are the same; null: the rule says nothing of this one. */
  readonly of: (entry: unknown) => string | null;
  /** Which entries of the document it is about. */
  readonly only: (position: number) => boolean;
  /** Whether it says something where the document has this many of them, and the flow that many. */
  readonly fits: (asked: number, given: number) => boolean;
}

const isAsMany: Rule['fits'] = (asked, given) => asked === given;
const isOneEach: Rule['fits'] = (asked, given) => asked === 1 && given === 1;

/** What rule after rule leaves over of two lists. */
class Pairs {
  readonly found: unknown[] = [];
  private readonly open: Set<number>;
  private readonly left: Set<number>;

  constructor(
    private readonly wanted: Entries,
    private readonly stored: Entries,
    private readonly search: Search,
  ) {
    this.open = new Set(wanted.keys());
    this.left = new Set(stored.keys());
  }

  pair({ of, only, fits }: Rule): void {
    const open = [...this.open];
    const mine = open.filter(only);
    // the others need no stored entry
    if (mine.length === 0 || !open.some((i) => this.search.isOpen(this.wanted[i]))) return;
    const asked = Map.groupBy(mine, (i) => of(this.wanted[i]));
    const given = new Map<string, number[]>();
    for (const text of asked.keys()) if (text !== null) given.set(text, []);
    for (const at of this.left) given.get(of(this.stored[at]) ?? '')?.push(at);
    for (const [text, same] of given) {
      const positions = asked.get(text) ?? [];
      if (!fits(positions.length, same.length)) continue;
      for (const [n, position] of positions.slice(0, same.length).entries()) {
        const at = same[n] as number;
        this.found[position] = this.stored[at];
        this.open.delete(position);
        this.left.delete(at);
      }
    }
  }
}

/** Where in a value something was left out, as texts that differ for different places. */
function placesIn(value: unknown, path = '.'): string[] {
  if (value === LEFT_OUT) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => placesIn(inner, `${path}${JSON.stringify(name)}.`));
}

/** As JSON, whatever the order of the fields, without the texts and numbers in the places where `like` has left them out. */
function textOf(value: unknown, like?: unknown): string {
  if (like === LEFT_OUT && isPlain(value)) return JSON.stringify(LEFT_OUT);
  if (Array.isArray(value)) {
    const likes: Entries = Array.isArray(like) ? like : [];
    return `[${value.map((each, i) => textOf(each, likes[i])).join()}]`;
  }
  if (typeof value === 'number') return `${value}`;
  if (!isFields(value)) return JSON.stringify(value);
  const likes = isFields(like) ? like : {};
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf(value[name], ownOf(likes, name))}`).join()}}`;
}

/** How many values are in a value, counted up to one more than `most`. */
function sizeOf(value: unknown, most: number): number {
  let size = 1;
  if (typeof value !== 'object' || value === null) return size;
  const inside: Entries = Array.isArray(value) ? value : Object.values(value);
  for (let i = 0; i < inside.length && size <= most; i += 1) size += sizeOf(inside[i], most - size);
  return size;
}

function nameOf(entry: unknown): string | null {
  const name = isFields(entry) ? ownOf(entry, 'name') : null;
  return typeof name === 'string' && name !== LEFT_OUT ? name : null;
}

function ownOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
