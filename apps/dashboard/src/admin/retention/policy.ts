import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';

export type Policy = components['schemas']['RetentionPolicy'];

export const RETENTION_KEY = ['retention'];

/** By the policies as they are stored. */
export const previewQuery = queryOptions({
  queryKey: [...RETENTION_KEY, 'preview'],
  queryFn: async () => (await answerOf(api.GET('/api/v1/admin/retention-policies/preview'))).items,
});

/** What a policy can be about: docs/retention.md. */
export const SCOPES = [
  ['plays', 'plays'],
  ['play_layers', 'outputs of layers'],
  ['audit', 'the audit log'],
  ['kv_stores', 'entries of the key-value store'],
  ['flows.all', 'flows that nobody uses'],
  ['flows.filtered', 'deleted flows'],
] as const;

/** What a scope is called; undefined: it has no name of its own. */
export function scopeWords(scope: string | null): string | undefined {
  return SCOPES.find(([value]) => value === scope)?.[1];
}

/** What the fields of durations take: `30d`. */
export const DURATION = /^(0|[1-9]\d*[mdy])$/;
