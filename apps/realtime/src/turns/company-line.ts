interface Next<Item> {
  readonly companyId: string;
  readonly item: Item;
}

/** What waits in line, the companies in turn: one with very much in it holds the others up by one of its own at a time. */
export class CompanyLine<Item> {
  /** The company whose turn is next comes first, and so does what is next of it. */
  private readonly lines = new Map<string, Set<Item>>();

  private count = 0;

  get size(): number {
    return this.count;
  }

  /** To the end of its company's line, unless it is in it. */
  add(companyId: string, item: Item): void {
    const line = this.lines.get(companyId);
    if (line?.has(item)) return;
    this.count += 1;
    if (line) line.add(item);
    else this.lines.set(companyId, new Set([item]));
  }

  delete(companyId: string, item: Item): void {
    const line = this.lines.get(companyId);
    if (!line?.delete(item)) return;
    this.count -= 1;
    if (line.size === 0) this.lines.delete(companyId);
  }

  deleteAll(companyId: string): void {
    this.count -= this.lines.get(companyId)?.size ?? 0;
    this.lines.delete(companyId);
  }

  /**
   * Takes out the next one; its company comes last then.
   *
   * @param isReady whether a company may have its turn; it stays where it would come next otherwise
   */
  shift(isReady: (companyId: string) => boolean = () => true): Next<Item> | null {
    for (const [companyId, line] of this.lines) {
      if (!isReady(companyId)) continue;
      const [item] = line as Iterable<Item> as [Item];
      line.delete(item);
      this.count -= 1;
      this.lines.delete(companyId);
      if (line.size > 0) this.lines.set(companyId, line);
      return { companyId, item };
    }
    return null;
  }
}
