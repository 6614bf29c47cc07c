import type { components } from '@weft/client';
import type { Role } from '@weft/access';

export type User = components['schemas']['User'];

export const USERS_KEY = ['users'] as const;
export const userKey = (id: string) => [...USERS_KEY, 'one', id] as const;

export function roleIn({ company_roles }: User, companyId: string): Role {
  return company_roles.find(({ company_id }) => company_id === companyId)?.role ?? 'none';
}
