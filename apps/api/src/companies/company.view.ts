import type { CompanyDocument } from '@weft/persistence';
import { flag, named, object, pageOf, text, time } from '../http/schema.js';

/** A company as the API shows it: docs/http-api.md §3. */
export interface CompanyView {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly created_at: string;
}

export function toCompanyView({ _id, name, active, created_at }: CompanyDocument): CompanyView {
  return { id: _id, name, active, created_at: created_at.toISOString() };
}

export const companySchema = named(
  'Company',
  object<CompanyView>({ id: text, name: text, active: flag, created_at: time }),
);
export const companyPageSchema = pageOf('Company', companySchema);
