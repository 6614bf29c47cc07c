/**
 * Gives values numbers, so that a comparison does not read their texts again: equal values have the same number, whatever the
 * order of their fields. The number of a list or an object is made of the numbers of the values in it, and of its names. Pure.
 */

/** A list or an object. */
export type Composite = Readonly<Record<string | number, unknown>>;

/** The values in a list or an object. */
export interface Content {
  readonly number: number;
  /** The names of the fields, sorted; null: it is a list. */
  readonly names: readonly string[] | null;
  /** Of the values, in the order of the names, or of the list. */
  readonly numbers: readonly number[];
}

export class ValueNumbers {
  private readonly texts = new Map<string, number>();
  /**
   * Of everything else, by texts that say what it is. A map by the numbers of a document would be slow if their author wants it:
   * V8 puts these in places of the map that can be foreseen.
   */
  private readonly others = new Map<string, number>();
  private readonly contents = new Map<Composite, Content>();
  private last = 0;

  of(value: unknown): number {
    if (typeof value === 'string') return this.numberIn(this.texts, value);
    if (isComposite(value)) return this.contentOf(value).number;
    return this.numberIn(this.others, `${typeof value} ${String(value)}`);
  }

  /** Each list and each object is read once. */
  contentOf(value: Composite): Content {
    const known = this.contents.get(value);
    if (known) return known;
    const names = Array.isArray(value) ? null : Object.keys(value).sort();
    const values = names ? names.map((name) => value[name]) : Object.values(value);
    const numbers = values.map((each) => this.of(each));
    const content = { number: this.ofComposite(names, numbers), names, numbers };
    this.contents.set(value, content);
    return content;
  }

  /** The number of a list or an object with these values. */
  ofComposite(names: Content['names'], numbers: readonly number[]): number {
    const kind = names ? `fields ${names.map((name) => this.of(name)).join()}` : 'list';
    return this.numberIn(this.others, `${kind} ${numbers.join()}`);
  }

  private numberIn(numbers: Map<string, number>, text: string): number {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    this.last += 1;
    numbers.set(text, this.last);
    return this.last;
  }
}

export function isComposite(value: unknown): value is Composite {
  return typeof value === 'object' && value !== null;
}
