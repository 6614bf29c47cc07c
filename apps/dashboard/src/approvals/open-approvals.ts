import type { components } from '@weft/client';
import type { Play } from '../plays/play';

type Approval = components['schemas']['OpenApprovals']['items'][number];

export interface OpenApproval extends Approval {
  readonly play: Play;
}

/** Those that end soonest first; those without an end in the order in which they were asked. */
export function openApprovals(
  plays: readonly Play[],
  answers: readonly (readonly Approval[] | undefined)[],
): OpenApproval[] {
  const all = plays.flatMap((play, i) => (answers[i] ?? []).map((approval) => ({ ...approval, play })));
  return all.sort((a, b) => orderOf(a).localeCompare(orderOf(b)));
}

const orderOf = ({ until, since }: Approval): string => until ?? `~${since}`;
