import type { components } from '@weft/client';

export type Company = components['schemas']['Company'];
export type CompanyJob = components['schemas']['CompanyJob'];

export const COMPANIES_KEY = ['companies'];
/** Read again with the companies. */
export const COMPANY_JOBS_KEY = [...COMPANIES_KEY, 'jobs'];
