import type { CompanyDocument } from '@weft/records';
import { flag, integerOrNull, named, object, pageOf, text, textOrNull, time } from '../http/schema.js';

/** A company as the API shows it: docs/http-api.md §3. */
export interface CompanyView {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly erasing: boolean;
  readonly created_at: string;
  readonly backlog_max: number | null;
  readonly runs_per_second: number | null;
  readonly bytes_max: number | null;
  readonly worker_label: string | null;
}

export function toCompanyView({ _id, name, active, erasing, created_at, ...company }: CompanyDocument): CompanyView {
  return {
    id: _id,
    name,
    active,
    erasing: erasing === true,
    created_at: created_at.toISOString(),
    backlog_max: company.backlog_max ?? null,
    runs_per_second: company.runs_per_second ?? null,
    bytes_max: company.bytes_max ?? null,
    worker_label: company.worker_label ?? null,
  };
}

export const companySchema = named(
  'Company',
  object<CompanyView>({
    id: text,
    name: text,
    active: flag,
    erasing: flag,
    created_at: time,
    backlog_max: integerOrNull,
    runs_per_second: integerOrNull,
    bytes_max: integerOrNull,
    worker_label: textOrNull,
  }),
);
export const companyPageSchema = pageOf('Company', companySchema);
