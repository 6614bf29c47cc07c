import type { components } from '@weft/client';
import { answerOf, api } from '../api/client';
import type { BulkTarget } from '../plays/read-plays';

export type Bulk = components['schemas']['Bulk'];
export type BulkAction = components['schemas']['StartBulkBody']['action'];

export const bulkKey = (id: string) => ['bulk', id] as const;
export const BULKS_KEY = ['bulks'] as const;

/** What each action is called: as a command, and when it is done. */
export const ACTIONS: Readonly<
  Record<string, { readonly does: string; readonly did: string; readonly loses: string }>
> = {
  cancel: {
    does: 'Cancel',
    did: 'cancelled',
    loses: 'What they have done stays done; the rest is not done.',
  },
  retry: {
    does: 'Retry',
    did: 'retried',
    loses: 'For each a new play begins at the layer that failed; what had been done is taken over.',
  },
};

/** How many plays it would be about; nothing is changed. @throws Refusal */
export async function countMatching(action: BulkAction, target: BulkTarget): Promise<number> {
  const answer = await answerOf(api.POST('/api/v1/bulk', { body: { action, ...target, dryRun: true } }));
  return answer.matched;
}

/** @throws Refusal */
export async function startBulk(action: BulkAction, target: BulkTarget, ratePerSecond?: number): Promise<Bulk> {
  const body = { action, ...target, ...(ratePerSecond !== undefined && { ratePerSecond }) };
  const answer = await answerOf(api.POST('/api/v1/bulk', { body }));
  if (!('id' in answer)) throw new Error('the server counted instead of starting');
  return answer;
}

/** @throws Refusal */
export function abortBulk(id: string): Promise<Bulk> {
  return answerOf(api.POST('/api/v1/bulk/{id}/abort', { params: { path: { id } } }));
}

/** How many it has looked at. */
export function lookedAt({ changed, skipped, failed }: Bulk): number {
  return changed + skipped + failed;
}

/** `1,204 of 3,000 cancelled, 3 left as they were, 2 failed` */
export function progressText(bulk: Bulk): string {
  const { action, matched, changed, skipped, failed } = bulk;
  const did = ACTIONS[action]?.did ?? action;
  return [
    `${changed.toLocaleString()} of ${matched.toLocaleString()} ${did}`,
    ...(skipped > 0 ? [`${skipped.toLocaleString()} left as they were`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString()} failed`] : []),
  ].join(', ');
}
