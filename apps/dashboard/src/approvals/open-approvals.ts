import type { components } from '@weft/client';

export type OpenApproval = components['schemas']['OpenApproval'];

/**
 * What is shown keeps its place: nothing moves under somebody who reads or types. Newcomers come after it: those that end
 * soonest first, then those without an end in the order in which they were asked.
 *
 * @param shown keys of those that are shown, in their order
 */
export function inPlace(shown: readonly string[], approvals: readonly OpenApproval[]): OpenApproval[] {
  const byKey = new Map(approvals.map((each) => [keyOf(each), each]));
  const kept = shown.flatMap((key) => byKey.get(key) ?? []);
  for (const key of shown) byKey.delete(key);
  return [...kept, ...[...byKey.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))];
}

export const keyOf = ({ playId, ref }: OpenApproval): string => `${playId} ${ref}`;

/** Times sort as text, and before the sign. */
const orderOf = ({ until, since }: OpenApproval): string => until ?? `~${since}`;
