import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';

export type Grant = components['schemas']['Grant'];
export type Permission = Grant['Permissions'][number];

export interface Grantee {
  readonly type: Grant['GrantType'];
  readonly id: string;
}

export const GRANTS_KEY = ['grants'] as const;

export const RESOURCES: Readonly<Record<Grant['ResourceType'], string>> = {
  flow: 'flow',
  flow_group: 'flow group',
  integration: 'integration',
};

/** To choose from; more than these are given by the API. */
const SIZE = 200;

export const flowGroupsQuery = queryOptions({
  queryKey: ['flow-groups', 'names'],
  queryFn: async () => (await answerOf(api.GET('/api/v1/flow-groups', { params: { query: { size: SIZE } } }))).items,
});
