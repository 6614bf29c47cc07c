import { BULK_STATES, type BulkDocument, type BulkState } from '@weft/records';
import * as s from '../http/schema.js';

/** A bulk operation, as docs/http-api.md §5 has it. */
export interface BulkView {
  readonly id: string;
  readonly action: string;
  readonly state: BulkState;
  readonly matched: number;
  readonly changed: number;
  readonly skipped: number;
  readonly failed: number;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

export const bulkSchema = s.named(
  'Bulk',
  s.object<BulkView>({
    id: s.text,
    action: s.text,
    state: s.oneOf(BULK_STATES),
    matched: { ...s.integer, description: 'Counted at the start, up to 1,000,000.' },
    changed: s.integer,
    skipped: { ...s.integer, description: 'Looked at and left: ended, retried before, not allowed, flow disabled.' },
    failed: { ...s.integer, description: 'Could not be changed because of an error.' },
    createdAt: s.time,
    completedAt: s.timeOrNull,
  }),
);
export const bulkPageSchema = s.pageOf('Bulk', bulkSchema);
export const bulkMatchSchema = s.named('BulkMatch', s.object<{ matched: number }>({ matched: s.integer }));

export function toBulkView(bulk: Omit<BulkDocument, 'target'>): BulkView {
  const { _id, action, state, matched, changed, skipped, failed, createdAt, completedAt } = bulk;
  return {
    ...{ id: _id, action, state, matched, changed, skipped, failed },
    createdAt: createdAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
  };
}
