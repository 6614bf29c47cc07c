import type { Play } from '../plays/play';

export interface FailureGroup {
  readonly key: string;
  readonly newest: Play;
  readonly count: number;
  /** Null: several, or none. */
  readonly ref: string | null;
}

/** Plays of the same flow that failed with the same code, as they can be asked for; the group with the newest failure first. */
export function groupFailures(plays: readonly Play[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const play of [...plays].sort((a, b) => endOf(b).localeCompare(endOf(a)))) {
    const key = [play.flowId, play.error?.code].join(' ');
    const ref = play.error?.ref ?? null;
    const known = groups.get(key);
    groups.set(key, {
      key,
      newest: known?.newest ?? play,
      count: (known?.count ?? 0) + 1,
      ref: known === undefined || known.ref === ref ? ref : null,
    });
  }
  return [...groups.values()];
}

const endOf = ({ completedAt, createdAt }: Play): string => completedAt ?? createdAt;
