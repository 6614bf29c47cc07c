import { filePath } from '@weft/contracts';
import {
  COMPANY_JOB_KINDS,
  COMPANY_JOB_STATES,
  type CompanyCounts,
  type CompanyJobDocument,
  type CompanyJobKind,
  type CompanyJobState,
  type LeftToGive,
} from '@weft/records';
import * as s from '../http/schema.js';

/** An export, an import or an erasure of a company: docs/http-api.md §3. */
export interface CompanyJobView {
  readonly id: string;
  readonly kind: CompanyJobKind;
  readonly state: CompanyJobState;
  readonly company_id: string;
  readonly company_name: string;
  readonly requested_by: string;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly counts: CompanyCounts;
  readonly error: string | null;
  readonly file: string | null;
  readonly left_to_give: LeftToGive;
}

export function toCompanyJobView(job: CompanyJobDocument): CompanyJobView {
  const { _id: id, kind, state, counts, error, left_to_give } = job;
  return {
    ...{ id, kind, state },
    company_id: job.about,
    company_name: job.name,
    requested_by: job.requested_by.email,
    created_at: job.created_at.toISOString(),
    completed_at: job.completed_at?.toISOString() ?? null,
    ...{ counts, error },
    file: kind === 'export' && job.file !== null ? filePath(job.file) : null,
    left_to_give,
  };
}

export const companyJobSchema = s.named(
  'CompanyJob',
  s.object<CompanyJobView>({
    id: s.text,
    kind: s.oneOf(COMPANY_JOB_KINDS),
    state: s.oneOf(COMPANY_JOB_STATES),
    company_id: { ...s.text, description: 'Of an import: the company that it makes.' },
    company_name: s.text,
    requested_by: { ...s.text, description: 'E-mail address of the operator.' },
    created_at: s.time,
    completed_at: s.timeOrNull,
    counts: {
      type: 'object',
      additionalProperties: s.integer,
      description: 'Documents by collection that were exported, imported or erased so far.',
    },
    error: { ...s.textOrNull, description: 'Why it failed.' },
    file: { ...s.textOrNull, description: 'Of an export that is done: where it is downloaded, for a day.' },
    left_to_give: {
      type: 'object',
      additionalProperties: s.listOf(s.text),
      description: 'Of an import: what stayed behind or is switched off, by kind, at most 1,000 names of each.',
    },
  }),
);
export const companyJobPageSchema = s.pageOf('CompanyJob', companyJobSchema);
