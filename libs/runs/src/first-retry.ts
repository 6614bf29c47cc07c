import type { Play } from '@weft/engine';
import { TenantScope, type ChildPlaysRepository } from '@weft/persistence';
import { setTimeout as sleep } from 'node:timers/promises';

/** An insert is refused by a play before a majority has that, and only then can it be read: some milliseconds later. */
const READ_ATTEMPTS = 20;
const READ_PAUSE_MS = 5;

/**
 * Of a play whose first retry has refused another one: waits about a second until the first retry can be read. From then on a
 * failover cannot lose it.
 *
 * @returns false: a majority does not have it yet, or it is not stored any more
 */
export async function canReadFirstRetry(
  { _id, company_id }: Pick<Play, '_id' | 'company_id'>,
  children: Pick<ChildPlaysRepository, 'firstRetryOf'>,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<boolean> {
  for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt += 1) {
    if (await children.firstRetryOf(new TenantScope(company_id), _id)) return true;
    await pause(READ_PAUSE_MS * attempt);
  }
  return false;
}
