/**
 * Gives values numbers, so that a comparison does not read their texts again: equal values have the same number, whatever the
 * order of their fields. The number of a list or an object is made of the numbers of the values in it. Pure.
 */

/** A list or an object. */
export type Composite = Readonly<Record<string | number, unknown>>;

/** The values in a list or an object. */
export interface Content {
  readonly number: number;
  readonly shape: Shape;
  /** Of the values, in the order of the shape's names, or of the list. */
  readonly numbers: readonly number[];
}

/** What objects with the same names of fields have in common; lists are all alike. */
interface Shape {
  readonly number: number;
  readonly names: readonly string[];
}

export class ValueNumbers {
  private readonly texts = new Map<string, number>();
  /**
   * Of everything else, by texts that say what it is. A map by the numbers of a document would be slow if their author wants it:
   * V8 puts these in places of the map that can be foreseen.
   */
  private readonly others = new Map<string, number>();
  private readonly contents = new Map<Composite, Content>();
  private readonly shapes = new Map<string, Shape>();
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
    const shape = this.shapeOf(value, Array.isArray(value) ? [] : Object.keys(value));
    const numbers = Array.isArray(value)
      ? value.map((each) => this.of(each))
      : shape.names.map((name) => this.of(value[name]));
    const content = { number: this.ofComposite(shape, numbers), shape, numbers };
    this.contents.set(value, content);
    return content;
  }

  /** The number of a list or an object with these values. */
  ofComposite({ number }: Shape, numbers: readonly number[]): number {
    return this.numberIn(this.others, `${number}: ${numbers.join()}`);
  }

  /** @param names the positions or fields that are looked at */
  shapeOf(value: Composite, names: readonly string[]): Shape {
    const isList = Array.isArray(value);
    const textOf = (each: readonly string[]) => `${isList ? 'list' : 'fields'} ${JSON.stringify(each)}`;
    const text = textOf(names);
    const known = this.shapes.get(text);
    if (known) return known;
    const sorted = isList ? names : names.toSorted();
    const shape = { number: this.numberIn(this.others, textOf(sorted)), names: sorted };
    this.shapes.set(text, shape);
    return shape;
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
