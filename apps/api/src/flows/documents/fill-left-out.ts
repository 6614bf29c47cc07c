/**
 * Puts stored values in the places where a document says `[left out]`. Fields are matched by their names. The entries of lists
 * have no names of their own, and their positions change when somebody edits the list: `pairEntries` says which entry is which.
 * `apps/cli/src/flows/fill-left-out.ts` does the same, so that `weft flows apply` shows what the API does. Pure.
 */
import { isComposite, ValueNumbers, type Composite } from './value-numbers.js';

/** Stands where a value was left out of a document. */
export const LEFT_OUT = '[left out]';

type Fields = Readonly<Record<string, unknown>>;
type Entries = readonly unknown[];

/**
 * `wanted` with the stored values; what is not stored as a text or a number, and what could be several stored values, stays left
 * out. It takes at most some 50 ms, whatever is stored: the number of looks at values is limited, and a look at a value does not
 * read its text, which is read once.
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
  private readonly numbers = new ValueNumbers();
  private readonly leftOut = this.numbers.of(LEFT_OUT);
  private readonly forms = new Map<unknown, number>();

  constructor(wanted: unknown) {
    this.findForms(wanted);
  }

  /** Whether something in it was left out. */
  isOpen(value: unknown): boolean {
    return this.formOf(value) !== null;
  }

  /** A number that values of the document have in common if they leave out the same places; null: nothing was left out. */
  formOf(value: unknown): number | null {
    return value === LEFT_OUT ? this.leftOut : (this.forms.get(value) ?? null);
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

  /** Of the entries of a list that was measured: equal ones have the same number. */
  numbersIn(list: Entries): readonly number[] {
    return this.numbers.contentOf(list as unknown as Composite).numbers;
  }

  /** Instead of the number of a value: its number without the texts and numbers in the places where `like` has left them out. */
  numberLike(like: unknown, value: unknown, number: number): number {
    if (like === LEFT_OUT) return isPlain(value) ? this.leftOut : number;
    if (!this.isOpen(like) || !isComposite(value) || Array.isArray(value) !== Array.isArray(like)) return number;
    const { shape, numbers } = this.numbers.contentOf(value);
    const others = numbers.map((each, i) => {
      const name = shape.names[i] ?? i;
      return this.numberLike(ownOf(like as Composite, name), value[name], each);
    });
    return this.numbers.ofComposite(shape, others);
  }

  /** Of each value with something left out, those inside first. */
  private findForms(value: unknown): number | null {
    if (!isComposite(value)) return this.formOf(value);
    const open = Object.keys(value).filter((name) => this.findForms(value[name]) !== null);
    if (open.length === 0) return null;
    const shape = this.numbers.shapeOf(value, open);
    const forms = shape.names.map((name) => this.formOf(value[name]) as number);
    const form = this.numbers.ofComposite(shape, forms);
    this.forms.set(value, form);
    return form;
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
  const pairs = new Pairs(wanted, stored);
  const byName = { asked: (i: number) => nameOf(wanted[i]), given: (at: number) => nameOf(stored[at]) };
  const size = search.measure(stored);
  if (size === null || search.measure(wanted) === null) {
    pairs.pair({ ...byName, fits: isOneEach });
    return pairs.found;
  }
  const wantedNumbers = search.numbersIn(wanted);
  const storedNumbers = search.numbersIn(stored);
  const asked = (i: number) => wantedNumbers[i] as number;
  const given = (at: number) => storedNumbers[at] as number;
  const { closed, forms } = byForm(wanted, search);
  pairs.pair({ asked, given, fits: () => true }, closed);
  let compared = 0;
  for (const positions of forms.slice(0, MOST_FORMS)) {
    if (!search.mayLookAt(size)) break;
    compared += 1;
    const like = wanted[positions[0] as number];
    const givenLike = (at: number) => search.numberLike(like, stored[at], given(at));
    pairs.pair({ asked, given: givenLike, fits: isAsMany }, positions);
  }
  pairs.pair({ ...byName, fits: compared === forms.length ? isAsMany : isOneEach });
  return pairs.found;
}

/** The positions of entries that leave out nothing, and of those that leave out the same places. */
function byForm(wanted: Entries, search: Search) {
  const positions = Map.groupBy(wanted.keys(), (i) => search.formOf(wanted[i]));
  const closed = positions.get(null) ?? [];
  positions.delete(null);
  return { closed, forms: [...positions.values()] };
}

type Key = string | number | null;

/** Entries with the same key are the same; null: the rule says nothing of this one. */
interface Rule {
  /** By position in the document. */
  readonly asked: (position: number) => Key;
  /** By position in the flow. */
  readonly given: (position: number) => Key;
  /** Whether it says something where the document has this many of them, and the flow that many. */
  readonly fits: (asked: number, given: number) => boolean;
}

const isAsMany: Rule['fits'] = (asked, given) => asked === given;
const isOneEach: Rule['fits'] = (asked, given) => asked === 1 && given === 1;

/** What rule after rule leaves over of two lists. */
class Pairs {
  readonly found: unknown[] = [];
  private readonly open: boolean[];
  private readonly left: boolean[];

  constructor(
    wanted: Entries,
    private readonly stored: Entries,
  ) {
    this.open = wanted.map(() => true);
    this.left = stored.map(() => true);
  }

  /** @param positions of the entries of the document that the rule is about */
  pair({ asked, given, fits }: Rule, positions: readonly number[] = [...this.open.keys()]): void {
    const positionsByKey = Map.groupBy(
      positions.filter((i) => this.open[i]),
      asked,
    );
    positionsByKey.delete(null);
    if (positionsByKey.size === 0) return;
    const storedByKey = new Map<Key, number[]>([...positionsByKey.keys()].map((key) => [key, []]));
    for (const [at, isLeft] of this.left.entries()) if (isLeft) storedByKey.get(given(at))?.push(at);
    for (const [key, mine] of positionsByKey) {
      const same = storedByKey.get(key) ?? [];
      if (!fits(mine.length, same.length)) continue;
      for (const [n, position] of mine.slice(0, same.length).entries()) {
        const at = same[n] as number;
        this.found[position] = this.stored[at];
        this.open[position] = false;
        this.left[at] = false;
      }
    }
  }
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

function ownOf(fields: Composite, name: string | number): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
