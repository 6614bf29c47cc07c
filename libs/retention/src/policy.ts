import { longer } from './duration.js';
import { FEWEST_ENTRIES, leastMinimum, type GeneralScope, type RetentionScope } from './scope.js';

/** One policy of a company. General (`scope`), of one flow's plays (`flowId`), or of the plays of a group's flows (`flowGroupId`). */
export interface RetentionPolicy {
  readonly id: string;
  /** Null in a policy with `flowId`; `flows.group` in one with `flowGroupId`. */
  readonly scope: RetentionScope | null;
  readonly flowId: string | null;
  readonly flowGroupId: string | null;
  readonly cadence: string;
  readonly minEntries: number;
  readonly enforcedMinimum: string;
  readonly enabled: boolean;
}

export type RetentionTerms = Pick<RetentionPolicy, 'cadence' | 'minEntries' | 'enforcedMinimum'>;

/** For companies without a policy of the scope: docs/retention.md. The operator can replace these defaults by settings. */
export type RetentionDefaults = Readonly<Record<GeneralScope, RetentionTerms>>;

export const SPECIFIED_DEFAULTS: RetentionDefaults = {
  'flows.all': { cadence: '90d', minEntries: 100, enforcedMinimum: '0' },
  'flows.filtered': { cadence: '30d', minEntries: 10, enforcedMinimum: '3d' },
  plays: { cadence: '7d', minEntries: 1_000, enforcedMinimum: '0' },
  play_layers: { cadence: '7d', minEntries: 5_000, enforcedMinimum: '0' },
  audit: { cadence: '30d', minEntries: 10, enforcedMinimum: '14d' },
  kv_stores: { cadence: '1d', minEntries: 100, enforcedMinimum: '0' },
};

/** The effective values: those below a floor are raised to it. */
export function effectiveTerms(policy: Pick<RetentionPolicy, 'scope' | 'minEntries' | 'enforcedMinimum'>): {
  readonly minEntries: number;
  readonly enforcedMinimum: string;
} {
  return {
    minEntries: Math.max(policy.minEntries, FEWEST_ENTRIES),
    enforcedMinimum: longer(policy.enforcedMinimum, leastMinimum(policy.scope)),
  };
}
