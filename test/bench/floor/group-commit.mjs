// @ts-check
/**
 * Group commit: items that arrive while a write is in progress form the next one; when it is idle, an item waits only for
 * the rest of the current tick. Each caller gets its answer when its own write has been acknowledged.
 *
 * @template Item, Result
 * @param {(items: Item[]) => Promise<readonly Result[] | void>} write one round trip for all; results in order of items
 * @param {{ maxItems?: number, lines?: number }} [options] `lines`: writes under way at the same time
 * @returns {(item: Item) => Promise<Result>}
 */
export function groupCommit(write, { maxItems = 500, lines = 1 } = {}) {
  /** @type {{ item: Item, resolve: (result: any) => void, reject: (reason: unknown) => void }[]} */
  let waiting = [];
  let underWay = 0;
  let scheduled = false;

  async function commit() {
    scheduled = false;
    if (underWay >= lines || waiting.length === 0) return;
    underWay += 1;
    const group = waiting.length <= maxItems ? waiting : waiting.slice(0, maxItems);
    waiting = waiting.length <= maxItems ? [] : waiting.slice(maxItems);
    try {
      const results = await write(group.map((entry) => entry.item));
      for (let i = 0; i < group.length; i += 1) group[i]?.resolve(results?.[i]);
    } catch (error) {
      for (const entry of group) entry.reject(error);
    } finally {
      underWay -= 1;
      schedule();
    }
  }

  function schedule() {
    if (scheduled || underWay >= lines || waiting.length === 0) return;
    scheduled = true;
    setImmediate(commit);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}
