import type { components } from '@weft/client';

export type Company = components['schemas']['Company'];

export const COMPANIES_KEY = ['companies'];
