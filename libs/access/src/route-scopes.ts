/** Which scopes of API keys open a route. Sessions have every scope and are not checked here. */
import type { Scope } from './scopes.js';

/** The scopes that a route can name. `read` opens what `api:read` opens. */
export type RouteScope = Exclude<Scope, 'read'>;

/** The scopes that open a route, each of which is enough. Made by `scopes`, or `SESSION_ONLY`. */
export interface RouteScopes {
  /** For GET and HEAD. */
  readonly forReads: ReadonlySet<Scope>;
  /** For every other method: the read scopes are missing here. */
  readonly forWrites: ReadonlySet<Scope>;
}

/** The route is not open to API keys. */
export const SESSION_ONLY: RouteScopes = { forReads: new Set(), forWrites: new Set() };

/** What every route that is open to API keys is open to for GET and HEAD. */
const READERS: readonly Scope[] = ['api', 'api:read', 'read'];

/** The route is open to API keys with one of these scopes; for GET and HEAD also to those that read everything. */
export function scopes(...named: readonly [RouteScope, ...RouteScope[]]): RouteScopes {
  return {
    forReads: new Set([...named, ...READERS]),
    forWrites: new Set(named.filter((scope) => scope !== 'api:read')),
  };
}

/**
 * The scopes that open a route to a request with this method.
 *
 * @param method in capitals
 */
export function openingScopes({ forReads, forWrites }: RouteScopes, method: string): ReadonlySet<Scope> {
  return method === 'GET' || method === 'HEAD' ? forReads : forWrites;
}

/** Whether a key with the `held` scopes may call a route. */
export function scopeAllows(held: readonly Scope[], route: RouteScopes, method: string): boolean {
  const opening = openingScopes(route, method);
  return held.some((scope) => opening.has(scope));
}

/** True when no API key may call the route. */
export function isSessionOnly({ forReads }: RouteScopes): boolean {
  return forReads.size === 0;
}

const ALL_PLAYS = scopes('api', 'api:read', 'api:plays');

/** Whether these scopes let a key read plays that others started, as far as its user may. */
export function seesAllPlays(held: readonly Scope[]): boolean {
  return scopeAllows(held, ALL_PLAYS, 'GET');
}

/** True when only `flow:execute` opens plays to this key: it then sees and commands only the plays that it started. */
export function seesOwnPlaysOnly(held: readonly Scope[], method: string): boolean {
  return !scopeAllows(held, ALL_PLAYS, method) && held.includes('flow:execute');
}
