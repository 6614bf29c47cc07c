/**
 * What the API does with a document (`apps/api/src/flows/documents/fill-left-out.ts`), so that a plan shows it: stored values are
 * put in the places where the document says `[left out]`. The two files are the same, because the command line is published
 * without the server. Pure.
 */
import { isAsMany, isOneEach, Pairs, type Entries } from './entry-pairs.js';
import { isComposite, ValueNumbers, type Composite } from './value-numbers.js';

/** Stands where a value was left out of a document. */
export const LEFT_OUT = '[left out]';

type Fields = Readonly<Record<string, unknown>>;

/** Work in steps, so that something else can be done in between. */
type Steps<T> = Generator<void, T, void>;

/** The result of `fillingLeftOut`, without a pause. */
export function fillLeftOut(wanted: unknown, stored: unknown): unknown {
  const steps = fillingLeftOut(wanted, stored);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/**
 * `wanted` with the stored values; what is not stored as a text or a number, and what could be several stored values, stays left
 * out. A step looks at some thousand values, but at all values of one list or one object: it takes a few milliseconds, and less
 * than 100 ms with the 50,000 values that the API lets a flow have. All steps of these take some hundred milliseconds,
 * whatever is stored: the number of looks at stored values is limited, and a look at a value does not read its text, which is read once.
 */
export function* fillingLeftOut(wanted: unknown, stored: unknown): Steps<unknown> {
  const search = new Search();
  yield* search.findOpen(wanted);
  return yield* fill(wanted, stored, search);
}

function* fill(wanted: unknown, stored: unknown, search: Search): Steps<unknown> {
  if (wanted === LEFT_OUT) return isPlain(stored) ? stored : wanted;
  if (!isComposite(wanted) || !search.isOpen(wanted)) return wanted;
  if (Array.isArray(wanted)) {
    const found = Array.isArray(stored) ? yield* pairEntries(wanted, stored, search) : [];
    const entries: unknown[] = [];
    for (const [i, entry] of wanted.entries()) {
      entries.push(search.isOpen(entry) ? yield* fill(entry, found[i], search) : entry);
      if (search.isStepDone(1)) yield;
    }
    return entries;
  }
  const fields = isFields(stored) ? stored : {};
  const filled: [string, unknown][] = [];
  for (const [name, value] of Object.entries(wanted)) {
    filled.push([name, search.isOpen(value) ? yield* fill(value, ownOf(fields, name), search) : value]);
    if (search.isStepDone(1)) yield;
  }
  return Object.fromEntries(filled);
}

/** Values of lists that are looked at for a document's value; then entries are the same only if no other one has their name. */
export const MOST_LOOKS = 200_000;

/** Values after which a step ends. */
const STEP = 1_000;

/** What is known of the value that is filled in. */
class Search {
  /** How many values may still be looked at. */
  private looks = MOST_LOOKS;
  /** How many were looked at in this step. */
  private inStep = 0;
  private readonly numbers = new ValueNumbers();
  private readonly leftOut = this.numbers.of(LEFT_OUT);
  private readonly open = new Set<unknown>([LEFT_OUT]);
  private readonly forms = new Map<unknown, number>();

  /** Finds out what is open: the methods below depend on it. */
  *findOpen(wanted: unknown): Steps<void> {
    const { insideFirst } = yield* this.walk(wanted, Infinity);
    for (const each of insideFirst) {
      const values = Object.values(each);
      if (values.some((value) => this.isOpen(value))) this.open.add(each);
      if (this.isStepDone(1 + values.length)) yield;
    }
  }

  /** Whether something in it was left out. */
  isOpen(value: unknown): boolean {
    return this.open.has(value);
  }

  /** Whether a step is done after looks at this many more values. */
  isStepDone(values: number): boolean {
    this.inStep += values;
    if (this.inStep < STEP) return false;
    this.inStep = 0;
    return true;
  }

  /** Looks at the values of a list; null: there are more than may still be looked at. */
  *lookAt(list: Entries): Steps<Walked | null> {
    const walked = yield* this.walk(list, this.looks);
    const isTooLarge = walked.size > this.looks;
    this.looks = Math.max(0, this.looks - walked.size);
    return isTooLarge ? null : walked;
  }

  /** Whether the values of a list may be looked at once more. */
  mayLookAgain({ size }: Walked): boolean {
    return size <= this.looks;
  }

  /** False: it may not. */
  lookAgain(walked: Walked): boolean {
    if (!this.mayLookAgain(walked)) return false;
    this.looks -= walked.size;
    return true;
  }

  /** Gives numbers to the values of a list: the methods below would do it in one step. */
  *read({ insideFirst }: Walked): Steps<void> {
    for (const each of insideFirst) {
      const { numbers } = this.numbers.contentOf(each);
      this.formOf(each);
      if (this.isStepDone(1 + numbers.length)) yield;
    }
  }

  /** Of the entries of a list: equal ones have the same number. */
  numbersIn(list: Entries): readonly number[] {
    return this.numbers.contentOf(list as unknown as Composite).numbers;
  }

  /** A number that values of the document have in common if they leave out the same places; null: nothing was left out. */
  formOf(value: unknown): number | null {
    if (value === LEFT_OUT) return this.leftOut;
    if (!isComposite(value) || !this.isOpen(value)) return null;
    const known = this.forms.get(value);
    if (known !== undefined) return known;
    const names = Object.keys(value).filter((name) => this.isOpen(value[name]));
    const kind = Array.isArray(value) ? 'list' : 'fields';
    const formsIn = names.sort().map((name) => this.formOf(value[name]) as number);
    const form = this.numbers.ofComposite([kind, ...names], formsIn);
    this.forms.set(value, form);
    return form;
  }

  /** Instead of the number of a value: its number without the texts and numbers in the places where `like` has left them out. */
  numberLike(like: unknown, value: unknown, number: number): number {
    if (like === LEFT_OUT) return isPlain(value) ? this.leftOut : number;
    if (!this.isOpen(like) || !isComposite(value) || Array.isArray(value) !== Array.isArray(like)) return number;
    const { names, numbers } = this.numbers.contentOf(value);
    this.inStep += numbers.length;
    const others = numbers.map((each, i) => {
      const name = names?.[i] ?? i;
      return this.numberLike(ownOf(like as Composite, name), value[name], each);
    });
    return this.numbers.ofComposite(names, others);
  }

  /** @param most when more values than these were found, the others are not counted */
  private *walk(value: unknown, most: number): Steps<Walked> {
    const found = isComposite(value) ? [value] : [];
    let size = 1;
    for (const each of found) {
      if (size > most) break;
      const values = Object.values(each);
      size += values.length;
      for (const inside of values) if (isComposite(inside)) found.push(inside);
      if (this.isStepDone(1 + values.length)) yield;
    }
    return { size, insideFirst: found.reverse() };
  }
}

/** What is in a value. */
interface Walked {
  /** How many values, with itself. */
  readonly size: number;
  /** The lists and objects, each after those in it. */
  readonly insideFirst: readonly Composite[];
}

/** Each different set of places where entries of a list leave out values costs a look at all stored entries: the sets after these are not compared. */
const MOST_FORMS = 20;

/**
 * The stored entry of each entry of a list, by position in `wanted`; undefined: the list has no such entry, or several.
 * Entries that are equal but for what was left out are the same, if the document has as many of them as the flow; of the others
 * those of one `name`, also if the document has as many of them. Both are taken in their order. Where not all entries could be
 * compared, their order says nothing: then those of one `name` are the same only if each side has one of them left.
 */
function* pairEntries(wanted: Entries, stored: Entries, search: Search): Steps<Entries> {
  const pairs = new Pairs(wanted, stored);
  const areCompared = yield* pairEqual(pairs, search);
  pairs.pair({
    asked: (i) => nameOf(wanted[i]),
    given: (at) => nameOf(stored[at]),
    fits: areCompared ? isAsMany : isOneEach,
  });
  return pairs.found;
}

/** Finds entries that are equal but for what was left out; false: not all entries could be compared. */
function* pairEqual(pairs: Pairs, search: Search): Steps<boolean> {
  const { wanted, stored } = pairs;
  const inStored = yield* search.lookAt(stored);
  const inWanted = inStored && (yield* search.lookAt(wanted));
  if (!inStored || !inWanted) return false;
  if (!search.mayLookAgain(inStored) && wanted.every((entry) => search.isOpen(entry))) return false;
  yield* search.read(inWanted);
  yield* search.read(inStored);
  const wantedNumbers = search.numbersIn(wanted);
  const storedNumbers = search.numbersIn(stored);
  const asked = (i: number) => wantedNumbers[i] as number;
  const given = (at: number) => storedNumbers[at] as number;
  const { closed, forms } = byForm(wanted, search);
  pairs.pair({ asked, given, fits: () => true }, closed);
  for (const [n, positions] of forms.entries()) {
    if (n === MOST_FORMS || !search.lookAgain(inStored)) return false;
    const like = wanted[positions[0] as number];
    const numbersLike: number[] = [];
    for (const [at, entry] of stored.entries()) {
      numbersLike.push(pairs.isLeft(at) ? search.numberLike(like, entry, given(at)) : given(at));
      if (search.isStepDone(1)) yield;
    }
    pairs.pair({ asked, given: (at) => numbersLike[at] as number, fits: isAsMany }, positions);
  }
  return true;
}

/** The positions of entries that leave out nothing, and of those that leave out the same places. */
function byForm(wanted: Entries, search: Search) {
  const positions = Map.groupBy(wanted.keys(), (i) => search.formOf(wanted[i]));
  const closed = positions.get(null) ?? [];
  positions.delete(null);
  return { closed, forms: [...positions.values()] };
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
