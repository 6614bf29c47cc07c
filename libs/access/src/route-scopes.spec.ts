import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SESSION_ONLY,
  isSessionOnly,
  scopeAllows,
  scopes,
  seesOwnPlaysOnly,
  type RouteScopes,
} from './route-scopes.js';
import { SCOPES, scopesNotCovered, type Scope } from './scopes.js';

/** Every combination that routes have. */
const ROUTES: readonly RouteScopes[] = [
  scopes('api', 'api:read', 'api:flows', 'api:plays', 'flow:execute', 'admin'),
  scopes('api', 'api:flows'),
  scopes('api'),
  scopes('api', 'api:flows', 'webhooks'),
  scopes('api', 'api:plays', 'flow:execute'),
  scopes('api', 'api:plays'),
  scopes('admin'),
  scopes('api', 'admin'),
  scopes('api', 'webhooks', 'admin'),
  SESSION_ONLY,
];
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** By position in `ROUTES`: which of them each scope opens for GET, and for POST. */
const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const OPENED: Readonly<Record<Scope, { readonly get: readonly number[]; readonly post: readonly number[] }>> = {
  api: { get: ALL, post: ALL.filter((route) => route !== 6) },
  'api:read': { get: ALL, post: [] },
  read: { get: ALL, post: [] },
  'api:flows': { get: [0, 1, 3], post: [0, 1, 3] },
  'api:plays': { get: [0, 4, 5], post: [0, 4, 5] },
  'flow:execute': { get: [0, 4], post: [0, 4] },
  mcp: { get: [], post: [] },
  webhooks: { get: [3, 8], post: [3, 8] },
  admin: { get: [0, 6, 7, 8], post: [0, 6, 7, 8] },
};

describe('the scopes of a route', () => {
  for (const scope of SCOPES) {
    it(`open to "${scope}" the routes that name it, and to those that read everything each GET`, () => {
      const opened = (method: string) => ROUTES.flatMap((route, i) => (scopeAllows([scope], route, method) ? [i] : []));
      expect({ get: opened('GET'), post: opened('POST') }).toEqual(OPENED[scope]);
    });
  }

  it('open with the read scopes for GET and HEAD only', () => {
    for (const scope of ['api:read', 'read'] as const) {
      expect(scopeAllows([scope], scopes('api', 'api:read'), 'HEAD')).toBe(true);
      for (const method of WRITES) for (const route of ROUTES) expect(scopeAllows([scope], route, method)).toBe(false);
    }
  });

  it('never open less to a key with one scope more', () => {
    fc.assert(
      fc.property(
        fc.subarray([...SCOPES]),
        fc.constantFrom(...SCOPES),
        fc.constantFrom(...ROUTES),
        fc.constantFrom('GET', ...WRITES),
        (held, more, route, method) => !scopeAllows(held, route, method) || scopeAllows([...held, more], route, method),
      ),
    );
  });

  it('let a key pass on only what it can do itself', () => {
    fc.assert(
      fc.property(
        fc.subarray([...SCOPES]),
        fc.subarray([...SCOPES]),
        fc.constantFrom(...ROUTES),
        fc.constantFrom('GET', ...WRITES),
        (held, wanted, route, method) =>
          scopesNotCovered(held, wanted).length > 0 ||
          !scopeAllows(wanted, route, method) ||
          scopeAllows(held, route, method),
      ),
    );
    expect(scopesNotCovered(['admin'], ['api', 'admin'])).toEqual(['api']);
    expect(scopesNotCovered(['api'], ['api:read', 'flow:execute', 'webhooks', 'mcp'])).toEqual(['mcp']);
  });

  it('can keep every API key out', () => {
    expect(ROUTES.filter(isSessionOnly)).toEqual([SESSION_ONLY]);
    expect(scopeAllows(SCOPES, SESSION_ONLY, 'GET')).toBe(false);
  });

  it('limit a key that can only execute to its own plays', () => {
    expect(seesOwnPlaysOnly(['flow:execute'], 'GET')).toBe(true);
    expect(seesOwnPlaysOnly(['flow:execute', 'read'], 'GET')).toBe(false);
    expect(seesOwnPlaysOnly(['flow:execute', 'read'], 'POST')).toBe(true);
    expect(seesOwnPlaysOnly(['api'], 'POST')).toBe(false);
  });
});
