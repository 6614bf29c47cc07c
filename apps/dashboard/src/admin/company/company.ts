import type { components } from '@weft/client';

export type Company = components['schemas']['Company'];
export type CompanyJob = components['schemas']['CompanyJob'];

export const COMPANIES_KEY = ['companies'];
export const COMPANY_JOBS_KEY = ['company-jobs'];
