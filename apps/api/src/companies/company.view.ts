import type { CompanyDocument } from '@weft/records';
import { flag, integerOrNull, named, object, pageOf, text, time } from '../http/schema.js';

/** A company as the API shows it: docs/http-api.md §3. */
export interface CompanyView {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly erasing: boolean;
  readonly created_at: string;
  readonly backlog_max: number | null;
}

export function toCompanyView({ _id, name, active, erasing, created_at, backlog_max }: CompanyDocument): CompanyView {
  return {
    id: _id,
    name,
    active,
    erasing: erasing === true,
    created_at: created_at.toISOString(),
    backlog_max: backlog_max ?? null,
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
  }),
);
export const companyPageSchema = pageOf('Company', companySchema);
