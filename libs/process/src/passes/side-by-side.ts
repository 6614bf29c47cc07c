/**
 * Does the parts of a pass side by side: one that fails or takes long holds up no other part of this pass.
 *
 * @throws AggregateError that names the parts that failed, when all have ended
 */
export async function sideBySide(parts: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const faults = new Map<string, unknown>();
  const each = Object.entries(parts).map(([name, part]) => part().catch((fault: unknown) => faults.set(name, fault)));
  await Promise.all(each);
  if (faults.size === 0) return;
  throw new AggregateError([...faults.values()], `failed: ${[...faults.keys()].join(', ')}`);
}
