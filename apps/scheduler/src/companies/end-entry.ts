import type { AuditEntryInput } from '@weft/store';
import { COMPANIES, type CompanyJobDocument } from '@weft/records';

const ACTIONS = { export: 'company_exported', import: 'company_imported', erasure: 'company_erased' } as const;

/** What the log of the installation says of a job that has ended, with what it was about. */
export function endEntry(job: CompanyJobDocument, error?: string): AuditEntryInput {
  const { kind, about, name, requested_by, counts, created_at } = job;
  const documents = Object.values(counts).reduce((sum, each) => sum + each, 0);
  return {
    action_type: ACTIONS[kind],
    collection: COMPANIES,
    company_id: null,
    UserID: requested_by.user_id,
    UserEmail: requested_by.email,
    resource_type: 'company',
    resource_id: about,
    outcome: error === undefined ? 'success' : 'failure',
    reason: error ?? null,
    entries_deleted: kind === 'erasure' ? documents : null,
    duration_ms: Math.max(0, Date.now() - created_at.getTime()),
    changes: {
      name: { before: name, after: kind === 'erasure' ? null : name },
      documents: kind === 'erasure' ? { before: counts, after: null } : { before: null, after: counts },
    },
  };
}
