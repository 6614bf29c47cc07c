import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { isSessionOnly, mayPass, ROLES } from '@weft/access';
import type { ErrorCode } from '@weft/kernel';
import type { RoutePolicy } from '../../auth/requires.js';
import { refusesOf } from '../refuses.js';
import type { Handler, Place } from './operations.js';

const CREDENTIAL: readonly ErrorCode[] = [
  'unauthenticated',
  'session_expired',
  'token_invalid',
  'token_expired',
  'token_revoked',
  'company_stopped',
];
const BODY: readonly ErrorCode[] = [
  'malformed_json',
  'invalid_body',
  'unknown_field',
  'body_too_large',
  'unsupported_media_type',
];

/** Every error code of an operation: those of its guards, path, query and body, and those that its handler declares. */
export function refusalCodesOf({ path, method, operation }: Place, handler: Handler, policy: RoutePolicy): ErrorCode[] {
  const isRead = method === 'get';
  const takes = (name: string) => operation.parameters?.some((each) => 'name' in each && each.name === name) ?? false;
  const codes: readonly ErrorCode[] = [
    ...(policy === 'public' ? [] : [...CREDENTIAL, ...rightCodes(policy)]),
    ...(isRead ? [] : (['cross_site', ...BODY] as const)),
    ...(readsQuery(handler) ? (['invalid_query'] as const) : []),
    ...(path.includes('{') ? (['not_found'] as const) : []),
    ...(isRead && takes('size') ? (['query_too_slow'] as const) : []),
    ...(takes('If-Match') ? (['version_conflict'] as const) : []),
    ...refusesOf(handler.method),
    'internal',
    'store_unavailable',
  ];
  return [...new Set(codes)];
}

function rightCodes({ who, scopes }: Exclude<RoutePolicy, 'public'>): readonly ErrorCode[] {
  const lacking = isSessionOnly(scopes) ? 'session_required' : 'insufficient_scope';
  if (who.some(({ kind }) => kind === 'operator')) return [lacking, 'operator_required'];
  const isForAll = ROLES.every((role) => mayPass({ role, operator: false }, who));
  const dependsOnFlow = who.some(({ kind }) => kind === 'flow');
  return isForAll && !dependsOnFlow ? [lacking] : [lacking, 'denied'];
}

function readsQuery({ method, controller }: Handler): boolean {
  const args: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, (method as { name: string }).name);
  return Object.keys(args ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
