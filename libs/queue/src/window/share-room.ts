interface Prioritized {
  readonly priority: number;
}

/**
 * Which due and new plays of a company get the room of its window: due ones with a priority above 0 first; the others get half
 * of what remains, where due and new plays get the odd place in turn. Due ones below 0 continue only when no new play waits.
 */
export class ShareRoom {
  /** Companies in which due plays got the odd place the last time. */
  private readonly odd = new Set<string>();

  /** @param due, fresh each in the order in which they get room */
  share<D extends Prioritized, N>(
    companyId: string,
    due: readonly D[],
    fresh: readonly N[],
    room: number,
  ): { readonly due: readonly D[]; readonly fresh: readonly N[] } {
    const turns = (fresh.length > 0 ? this.besideNew(companyId, due, room) : due).slice(0, room);
    return { due: turns, fresh: fresh.slice(0, room - turns.length) };
  }

  private besideNew<D extends Prioritized>(companyId: string, due: readonly D[], room: number): readonly D[] {
    const above = due.filter(({ priority }) => priority > 0);
    const plain = due.filter(({ priority }) => priority === 0);
    if (plain.length === 0) return above;
    const left = Math.max(0, room - above.length);
    const getsOdd = left % 2 === 1 && !this.odd.delete(companyId);
    if (getsOdd) this.odd.add(companyId);
    return [...above, ...plain.slice(0, Math.floor(left / 2) + (getsOdd ? 1 : 0))];
  }
}
