/** Which plays wait for which. A play goes on when one of those that it waits for does: its blockers. */

/** By id: the blockers; null: it goes on by itself; left out: they were not read yet. */
export type Blockers = ReadonlyMap<string, readonly string[] | null | undefined>;

/** Ids of the plays for which no chain of blockers ends at a play that goes on by itself. A play that is not in the map goes on. */
export function stuckIn(blockers: Blockers): ReadonlySet<string> {
  const left = new Set(blockers.keys());
  const isLeft = (id: string): boolean => left.has(id);
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const id of left) {
      const of = blockers.get(id);
      if (of === null || of?.every(isLeft) === false) left.delete(id);
    }
  }
  return left;
}

/**
 * The plays of one circle, which waits for no other circle: when one of them goes on, it does not still wait for plays that are stuck
 * elsewhere.
 *
 * @param stuck ids of plays that wait for each other, or for plays that do; each has a blocker among them
 */
export function innermostCircle(blockers: Blockers, stuck: ReadonlySet<string>): readonly string[] {
  const order = new Map<string, number>();
  const path: string[] = [];
  // Tarjan's algorithm: of the strongly connected components, the first one that is complete leads to no other one
  const visit = (id: string): { readonly low: number; readonly circle?: readonly string[] } => {
    const own = path.push(id) - 1;
    order.set(id, own);
    let low = own;
    for (const blocker of blockers.get(id) ?? []) {
      if (!stuck.has(blocker)) continue;
      const known = order.get(blocker);
      const found = known === undefined ? visit(blocker) : { low: known };
      if (found.circle) return found;
      low = Math.min(low, found.low);
    }
    return low === own ? { low, circle: path.slice(own) } : { low };
  };
  const [first] = stuck;
  return first === undefined ? [] : (visit(first).circle ?? []);
}
