import type { Schedule } from './queries';

const OVERLAPS: Readonly<Record<Schedule['overlap'], string>> = {
  skip: 'a slot is skipped while the run before is open',
  queue: 'a slot waits while the run before is open',
  allow: 'runs may overlap',
};

export function overlapWords({ overlap }: Pick<Schedule, 'overlap'>): string {
  return OVERLAPS[overlap];
}

/** Which slots are made up for that nobody could fire in time. */
export function missedWords({ missed, missed_window }: Pick<Schedule, 'missed' | 'missed_window'>): string {
  if (missed === 'none' || missed_window === '0') return 'missed slots are dropped';
  const which = missed === 'last' ? 'the latest missed slot is' : 'all missed slots are';
  return `${which} made up for, up to ${missed_window} later`;
}

/** A slot as it is in the zone of its schedule. */
export function slotText(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(new Date(at));
}

export interface Missed {
  readonly count: number;
  readonly first: string;
  readonly last: string;
}

/** What an entry `schedule_missed` of the audit log says; null where it says something else. */
export function missedOf(changes: Readonly<Record<string, unknown>>): Missed | null {
  const { missed } = changes as { missed?: { after?: Partial<Missed> | null } | null };
  const { count, first, last } = missed?.after ?? {};
  if (typeof count !== 'number' || typeof first !== 'string' || typeof last !== 'string') return null;
  return { count, first, last };
}
