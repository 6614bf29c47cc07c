import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import { parseLetters, type Who } from '@weft/access';

/** Who may call a handler, and which scopes open it to a token: the last two columns of the contract's tables. */
export type RoutePolicy = 'public' | { readonly who: readonly Who[]; readonly scopes: string };

export const ROUTE_POLICY = Symbol('route policy');

/** No credential is asked for. */
export function Public(): CustomDecorator<symbol> {
  return SetMetadata(ROUTE_POLICY, 'public' satisfies RoutePolicy);
}

/**
 * @param who one right, or several of which one is enough
 * @param scopes letters of contract §1 with spaces between, e.g. `'A R F'`
 */
export function Requires(who: Who | readonly Who[], scopes: string): CustomDecorator<symbol> {
  parseLetters(scopes); // a wrong letter stops the process here, not a caller later
  return SetMetadata(ROUTE_POLICY, { who: [who].flat(), scopes } satisfies RoutePolicy);
}

/** The handler's own policy, else its controller's. */
export function policyOf(handler: object, controller: object): RoutePolicy | undefined {
  return (Reflect.getMetadata(ROUTE_POLICY, handler) ?? Reflect.getMetadata(ROUTE_POLICY, controller)) as
    RoutePolicy | undefined;
}
