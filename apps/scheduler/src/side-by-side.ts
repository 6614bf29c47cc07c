/**
 * Does the work for each item, so many at once. One that fails stops none of the others.
 *
 * @throws the first failure, when all have been dealt with
 */
export async function sideBySide<T>(
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
