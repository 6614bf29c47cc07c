import { effectiveTerms, RETENTION_COLLECTIONS, RETENTION_SCOPES } from '@weft/retention';
import type { JobDocument, RetentionPolicyDocument, Sweep, SweepPreview } from '@weft/records';
import {
  flag,
  integer,
  integerOrNull,
  listOf,
  named,
  object,
  oneOf,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../http/schema.js';

/** A retention policy as the API shows it: docs/http-api.md §7. */
export interface RetentionPolicyView {
  readonly id: string;
  readonly company_id: string;
  readonly scope: string | null;
  readonly cadence: string;
  readonly min_entries: number;
  readonly enforced_minimum: string;
  readonly enabled: boolean;
  readonly flow_id: string | null;
  readonly flow_group_id: string | null;
  /** What holds where a value is under a floor. */
  readonly effective: { readonly min_entries: number; readonly enforced_minimum: string };
  readonly next_cleanup: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface RetentionPoliciesView {
  readonly policies: readonly RetentionPolicyView[];
}

export interface RetentionStatsView {
  readonly last_cleanup: string | null;
  readonly last_duration_ms: number | null;
  readonly entries_deleted: number;
  readonly next_cleanup: string | null;
  readonly collections_processed: readonly string[];
}

export interface RetentionPreviewItem {
  readonly collection: string;
  readonly scope: string | null;
  readonly policy_id: string | null;
  readonly would_delete: number;
  readonly kept: number;
  readonly capped: boolean;
}

export interface RetentionPreviewView {
  readonly items: readonly RetentionPreviewItem[];
}

/** @param job the cleanup; null while no scheduler has made it known */
export function toPolicyView(policy: RetentionPolicyDocument, job: JobDocument | null): RetentionPolicyView {
  const effective = effectiveTerms({
    scope: policy.scope,
    minEntries: policy.min_entries,
    enforcedMinimum: policy.enforced_minimum,
  });
  return {
    id: policy._id,
    company_id: policy.company_id,
    scope: policy.scope,
    cadence: policy.cadence,
    min_entries: policy.min_entries,
    enforced_minimum: policy.enforced_minimum,
    enabled: policy.enabled,
    flow_id: policy.flow_id,
    flow_group_id: policy.flow_group_id,
    effective: { min_entries: effective.minEntries, enforced_minimum: effective.enforcedMinimum },
    next_cleanup: job?.nextRun.toISOString() ?? null,
    created_at: policy.created_at.toISOString(),
    updated_at: policy.updated_at.toISOString(),
  };
}

export function toPreviewItem(
  sweep: Sweep,
  { wouldDelete, kept, isCapped = false }: SweepPreview,
): RetentionPreviewItem {
  const { collection, scope, policyId } = sweep;
  return { collection, scope, policy_id: policyId, would_delete: wouldDelete, kept, capped: isCapped };
}

const scopeOrNull = { ...textOrNull, enum: [...RETENTION_SCOPES, null] };

export const policySchema = named(
  'RetentionPolicy',
  object<RetentionPolicyView>({
    id: text,
    company_id: text,
    scope: scopeOrNull,
    cadence: text,
    min_entries: integer,
    enforced_minimum: text,
    enabled: flag,
    flow_id: textOrNull,
    flow_group_id: textOrNull,
    effective: object<RetentionPolicyView['effective']>({ min_entries: integer, enforced_minimum: text }),
    next_cleanup: timeOrNull,
    created_at: time,
    updated_at: time,
  }),
);
export const policiesSchema = named(
  'RetentionPolicies',
  object<RetentionPoliciesView>({ policies: listOf(policySchema) }),
);
export const retentionStatsSchema = named(
  'RetentionStats',
  object<RetentionStatsView>({
    last_cleanup: timeOrNull,
    last_duration_ms: integerOrNull,
    entries_deleted: { ...integer, description: 'Of the company, by the last cleanup.' },
    next_cleanup: timeOrNull,
    collections_processed: listOf(oneOf(RETENTION_COLLECTIONS)),
  }),
);
export const retentionPreviewSchema = named(
  'RetentionPreview',
  object<RetentionPreviewView>({
    items: listOf(
      object<RetentionPreviewItem>({
        collection: oneOf(RETENTION_COLLECTIONS),
        scope: scopeOrNull,
        policy_id: { ...textOrNull, description: 'Null: the default, or the rule of a scope without a policy.' },
        would_delete: integer,
        kept: integer,
        capped: {
          ...flag,
          description: 'There may be more of both: it counts for some seconds, and as far as 100,000 plays.',
        },
      }),
    ),
  }),
);
