import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import type { RouteRight, RouteScopes } from '@weft/access';

/** Who may call a handler, and which scopes open it to API keys. */
export type RoutePolicy = 'public' | { readonly who: readonly RouteRight[]; readonly scopes: RouteScopes };

export const ROUTE_POLICY = Symbol('route policy');

/** The handler answers without a credential. */
export function Public(): CustomDecorator<symbol> {
  return SetMetadata(ROUTE_POLICY, 'public' satisfies RoutePolicy);
}

/**
 * Who may call the handler, e.g. `@Requires(flow('edit'), scopes('api', 'api:flows'))`.
 *
 * @param who one right, or several of which one is enough
 * @param scopes `SESSION_ONLY` keeps API keys out
 */
export function Requires(who: RouteRight | readonly RouteRight[], scopes: RouteScopes): CustomDecorator<symbol> {
  return SetMetadata(ROUTE_POLICY, { who: [who].flat(), scopes } satisfies RoutePolicy);
}

/** The handler's own policy, else its controller's. */
export function policyOf(handler: object, controller: object): RoutePolicy | undefined {
  return (Reflect.getMetadata(ROUTE_POLICY, handler) ?? Reflect.getMetadata(ROUTE_POLICY, controller)) as
    RoutePolicy | undefined;
}
