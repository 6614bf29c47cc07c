import type { Play } from '../plays/play';

export interface FailureGroup {
  readonly key: string;
  readonly newest: Play;
  readonly count: number;
}

/** Plays of the same flow that failed at the same layer with the same code; the group with the newest failure first. */
export function groupFailures(plays: readonly Play[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const play of [...plays].sort((a, b) => endOf(b).localeCompare(endOf(a)))) {
    const key = [play.flowId, play.error?.code, play.error?.ref].join(' ');
    const known = groups.get(key);
    groups.set(key, { key, newest: known?.newest ?? play, count: (known?.count ?? 0) + 1 });
  }
  return [...groups.values()];
}

const endOf = ({ completedAt, createdAt }: Play): string => completedAt ?? createdAt;
