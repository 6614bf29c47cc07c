import { SPECIFIED_DEFAULTS } from '@weft/retention';
import { duration, wholeNumber } from './parse.js';
import { setting } from './setting-entry.js';

/** What retention does in companies without a policy of their own, a part of the catalogue: specification §8. */
export const RETENTION_DEFAULTS = {
  'retention.audit_cadence': setting(
    'RETENTION_AUDIT_CADENCE',
    'Age from which audit entries go, in companies without a policy for them: an integer and m, d or y, or 0.',
    duration,
    SPECIFIED_DEFAULTS.audit.cadence,
  ),
  'retention.audit_min_entries': setting(
    'RETENTION_AUDIT_MIN_ENTRIES',
    'Newest audit entries that remain there, however old.',
    wholeNumber(0, 1_000_000_000),
    SPECIFIED_DEFAULTS.audit.minEntries,
  ),
  'retention.audit_enforced_minimum': setting(
    'RETENTION_AUDIT_ENFORCED_MINIMUM',
    'Age below which no audit entry goes there; 14d hold in any case.',
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
    'Newest flows that remain there, however old.',
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
    'Deleted flows that remain there, the latest, however old.',
    wholeNumber(0, 1_000_000_000),
    SPECIFIED_DEFAULTS['flows.filtered'].minEntries,
  ),
  'retention.flows_filtered_enforced_minimum': setting(
    'RETENTION_FLOWS_FILTERED_ENFORCED_MINIMUM',
    'Time before which no deleted flow is erased there; 3d hold in any case.',
    duration,
    SPECIFIED_DEFAULTS['flows.filtered'].enforcedMinimum,
  ),
} as const;
