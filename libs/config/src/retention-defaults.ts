import { SPECIFIED_DEFAULTS } from '@weft/retention';
import { duration, wholeNumber } from './parse.js';
import { setting } from './setting-entry.js';

/** The retention defaults for companies without a policy of their own, a part of the catalogue: docs/retention.md. */
export const RETENTION_DEFAULTS = {
  'retention.audit_cadence': setting(
    'RETENTION_AUDIT_CADENCE',
    'Age after which audit entries are deleted, in companies without a policy for them: an integer and m, d or y, or 0.',
    duration,
    SPECIFIED_DEFAULTS.audit.cadence,
  ),
  'retention.audit_min_entries': setting(
    'RETENTION_AUDIT_MIN_ENTRIES',
    'Number of newest audit entries that are kept there regardless of age.',
    wholeNumber(0, 1_000_000_000),
    SPECIFIED_DEFAULTS.audit.minEntries,
  ),
  'retention.audit_enforced_minimum': setting(
    'RETENTION_AUDIT_ENFORCED_MINIMUM',
    'Age before which no audit entry is deleted there; never less than 14d.',
    duration,
    SPECIFIED_DEFAULTS.audit.enforcedMinimum,
  ),
  'retention.flows_all_cadence': setting(
    'RETENTION_FLOWS_ALL_CADENCE',
    'Time without a change or a run after which a flow is deleted, in companies without a policy for flows.',
    duration,
    SPECIFIED_DEFAULTS['flows.all'].cadence,
  ),
  'retention.flows_all_min_entries': setting(
    'RETENTION_FLOWS_ALL_MIN_ENTRIES',
    'Number of newest flows that are kept there regardless of age.',
    wholeNumber(0, 1_000_000_000),
    SPECIFIED_DEFAULTS['flows.all'].minEntries,
  ),
  'retention.flows_filtered_cadence': setting(
    'RETENTION_FLOWS_FILTERED_CADENCE',
    'Time after which a deleted flow is erased, in companies without a policy for deleted flows.',
    duration,
    SPECIFIED_DEFAULTS['flows.filtered'].cadence,
  ),
  'retention.flows_filtered_min_entries': setting(
    'RETENTION_FLOWS_FILTERED_MIN_ENTRIES',
    'Number of most recently deleted flows that are kept there regardless of age.',
    wholeNumber(0, 1_000_000_000),
    SPECIFIED_DEFAULTS['flows.filtered'].minEntries,
  ),
  'retention.flows_filtered_enforced_minimum': setting(
    'RETENTION_FLOWS_FILTERED_ENFORCED_MINIMUM',
    'Time before which no deleted flow is erased there; never less than 3d.',
    duration,
    SPECIFIED_DEFAULTS['flows.filtered'].enforcedMinimum,
  ),
} as const;
