/**
 * Does the work for each item, `atOnce` items in parallel. A failure does not stop the other items.
 *
 * @throws the first failure, after all items have been dealt with
 */
export async function inParallel<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const remaining = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = remaining.next(); !next.done; next = remaining.next()) {
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  if (failures.length > 0) throw failures[0];
}
