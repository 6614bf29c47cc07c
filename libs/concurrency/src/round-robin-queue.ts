interface QueuedItem<Item> {
  readonly companyId: string;
  readonly item: Item;
}

/**
 * A queue in which companies take turns: a company with many items delays the others by one of its items at a time. It only
 * orders the items; when they differ much in cost, take `DeficitRoundRobin` (bytes) or `FairShareScheduler` (time).
 */
export class RoundRobinQueue<Item> {
  /** In the order of the companies' turns, and of the items of each. */
  private readonly queues = new Map<string, Set<Item>>();

  private itemCount = 0;

  get size(): number {
    return this.itemCount;
  }

  /** Appends to the company's items, unless the item is queued already. */
  add(companyId: string, item: Item): void {
    const line = this.queues.get(companyId);
    if (line?.has(item)) return;
    this.itemCount += 1;
    if (line) line.add(item);
    else this.queues.set(companyId, new Set([item]));
  }

  delete(companyId: string, item: Item): void {
    const line = this.queues.get(companyId);
    if (!line?.delete(item)) return;
    this.itemCount -= 1;
    if (line.size === 0) this.queues.delete(companyId);
  }

  deleteCompany(companyId: string): void {
    this.itemCount -= this.queues.get(companyId)?.size ?? 0;
    this.queues.delete(companyId);
  }

  /**
   * Removes the next item; its company goes to the end.
   *
   * @param isReady whether a company may have its turn; otherwise it keeps its position
   */
  shift(isReady: (companyId: string) => boolean = () => true): QueuedItem<Item> | null {
    for (const [companyId, line] of this.queues) {
      if (!isReady(companyId)) continue;
      const [item] = line as Iterable<Item> as [Item];
      line.delete(item);
      this.itemCount -= 1;
      this.queues.delete(companyId);
      if (line.size > 0) this.queues.set(companyId, line);
      return { companyId, item };
    }
    return null;
  }
}
