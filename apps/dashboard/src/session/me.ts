import type { components } from '@weft/client';
import { mayPass, type Role, type RouteRight } from '@weft/access';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { answerOf, plainApi } from '../api/client';
import { Refusal } from '../api/refusal';

export type Me = components['schemas']['Me'];

/** Who is signed in, or null. */
export async function readMe(): Promise<Me | null> {
  try {
    return await answerOf(plainApi.GET('/api/v1/auth/me'));
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null;
    throw error;
  }
}

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: readMe, staleTime: Infinity });

/** For everything below the shell, where somebody is signed in. */
export function useMe(): Me {
  const { data } = useSuspenseQuery(meQuery);
  if (data === null) throw new Error('nobody is signed in');
  return data;
}

export function roleOf(me: Me): Role {
  return me.roles[0] ?? 'none';
}

/** Decides what is shown, with the rules of the server, which refuses the rest anyway. */
export function may(me: Me, ...rights: readonly RouteRight[]): boolean {
  return mayPass({ role: roleOf(me), operator: me.operator }, rights);
}

export function companyName(me: Me): string {
  return me.companies.find(({ company_id }) => company_id === me.company_id)?.name ?? 'Company';
}

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  admin: 'Admin',
  flow_editor: 'Flow editor',
  flow_executor: 'Flow executor',
  viewer: 'Viewer',
  audit_viewer: 'Audit viewer',
  integration_manager: 'Integration manager',
  analytics_viewer: 'Analytics viewer',
  none: 'No role',
};
