/** Finds the same entries in two lists by rules, one after the other. Pure. */

export type Entries = readonly unknown[];

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

export const isAsMany: Rule['fits'] = (asked, given) => asked === given;
export const isOneEach: Rule['fits'] = (asked, given) => asked === 1 && given === 1;

/** What rule after rule leaves over of two lists. */
export class Pairs {
  readonly found: unknown[] = [];
  private readonly open: boolean[];
  private readonly left: boolean[];

  constructor(
    readonly wanted: Entries,
    readonly stored: Entries,
  ) {
    this.open = wanted.map(() => true);
    this.left = stored.map(() => true);
  }

  isLeft(at: number): boolean {
    return this.left[at] === true;
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
