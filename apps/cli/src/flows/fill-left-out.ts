/**
 * What the API does with a document (`apps/api/src/flows/documents/fill-left-out.ts`), so that a plan shows it: stored values are
 * put in the places where the document says `[left out]`. The two files are the same, because the command line is published
 * without the server. Pure.
 */

/** Stands in an exported document where a secret or an id of the company was. */
export const LEFT_OUT = '[left out]';

type Fields = Readonly<Record<string, unknown>>;

/** A copy of `wanted`; what is not stored as a text or a number, and what could be several stored values, stays left out. */
export function fillLeftOut(wanted: unknown, stored: unknown): unknown {
  if (wanted === LEFT_OUT) return isPlain(stored) ? stored : wanted;
  if (Array.isArray(wanted)) {
    const found = Array.isArray(stored) ? pairEntries(wanted, stored) : [];
    return wanted.map((entry, i) => fillLeftOut(entry, found[i]));
  }
  if (!isFields(wanted)) return wanted;
  const fields = isFields(stored) ? stored : {};
  return Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [
      name,
      fillLeftOut(value, Object.hasOwn(fields, name) ? fields[name] : undefined),
    ]),
  );
}

/** A list whose entries leave out values in more different places than this is filled in by names only: each place costs a look at all stored entries. */
const MOST_FORMS = 20;

/**
 * The stored entry of each entry of a list, by position in `wanted`; undefined: the list has no such entry, or several.
 * Entries that are equal but for what was left out are the same, if the document has as many of them as the flow; of the others
 * those of one `name`, also if the document has as many of them. Both are taken in their order.
 */
function pairEntries(wanted: readonly unknown[], stored: readonly unknown[]): readonly unknown[] {
  const places = wanted.map((entry) => placesIn(entry).join('\n'));
  if (places.every((each) => each === '')) return [];
  const pairs = new Pairs(wanted, stored);
  pairs.pair({ of: (each) => textOf(each), only: (i) => places[i] === '', ifAsMany: false });
  const forms = [...new Set(places)].filter((each) => each !== '').slice(0, MOST_FORMS);
  for (const form of forms) {
    const like = wanted[places.indexOf(form)];
    pairs.pair({ of: (each) => textOf(withoutValues(each, like)), only: (i) => places[i] === form, ifAsMany: true });
  }
  pairs.pair({ of: nameOf, only: () => true, ifAsMany: true });
  return pairs.found;
}

interface Rule {
  /** Entries with the same text are the same; null: the rule says nothing of this one. */
  readonly of: (entry: unknown) => string | null;
  /** Which entries of the document it is about. */
  readonly only: (position: number) => boolean;
  /** Whether it says nothing where the flow has more or fewer of them than the document. */
  readonly ifAsMany: boolean;
}

/** What rule after rule leaves over of two lists. */
class Pairs {
  readonly found: unknown[] = [];
  private open: ReadonlySet<number>;
  private left: ReadonlySet<number>;

  constructor(
    private readonly wanted: readonly unknown[],
    private readonly stored: readonly unknown[],
  ) {
    this.open = new Set(wanted.keys());
    this.left = new Set(stored.keys());
  }

  pair({ of, only, ifAsMany }: Rule): void {
    const asked = Map.groupBy([...this.open].filter(only), (i) => of(this.wanted[i]));
    const given = Map.groupBy(this.left, (i) => of(this.stored[i]));
    const [open, left] = [new Set(this.open), new Set(this.left)];
    for (const [text, positions] of asked) {
      const same = given.get(text) ?? [];
      if (text === null || (ifAsMany && same.length !== positions.length)) continue;
      for (const [n, position] of positions.slice(0, same.length).entries()) {
        const at = same[n] as number;
        this.found[position] = this.stored[at];
        open.delete(position);
        left.delete(at);
      }
    }
    [this.open, this.left] = [open, left];
  }
}

/** Where in a value something was left out, as texts that differ for different places. */
function placesIn(value: unknown, path = '.'): string[] {
  if (value === LEFT_OUT) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => placesIn(inner, `${path}${JSON.stringify(name)}.`));
}

/** A value without the texts and numbers in the places where `like` has left them out. */
function withoutValues(value: unknown, like: unknown): unknown {
  if (like === LEFT_OUT) return isPlain(value) ? LEFT_OUT : value;
  if (Array.isArray(value)) return Array.isArray(like) ? value.map((each, i) => withoutValues(each, like[i])) : value;
  if (!isFields(value) || !isFields(like)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      Object.hasOwn(like, name) ? withoutValues(inner, like[name]) : inner,
    ]),
  );
}

/** As JSON, whatever the order of the fields. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    isFields(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

function nameOf(entry: unknown): string | null {
  const name = isFields(entry) && Object.hasOwn(entry, 'name') ? entry.name : null;
  return typeof name === 'string' && name !== LEFT_OUT ? name : null;
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
