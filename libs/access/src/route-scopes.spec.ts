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
  scopes('api', 'api:read', 'api:flows'),
  scopes('api', 'api:plays', 'flow:execute'),
  scopes('api', 'api:read', 'api:plays'),
  scopes('api', 'api:read', 'api:plays', 'flow:execute'),
  scopes('api', 'api:plays'),
  scopes('api', 'api:read'),
  scopes('admin'),
  scopes('webhooks'),
  SESSION_ONLY,
];
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** By position in `ROUTES`: which of them each scope opens for GET. */
const OPENED: Readonly<Record<Scope, readonly number[]>> = {
  api: [0, 1, 2, 3, 4, 5, 6, 7, 8],
  'api:read': [0, 3, 5, 6, 8],
  read: [0, 3, 5, 6, 8],
  'api:flows': [0, 1, 3],
  'api:plays': [0, 4, 5, 6, 7],
  'flow:execute': [0, 4, 6],
  mcp: [],
  webhooks: [10],
  admin: [0, 9],
};

describe('the scopes of a route', () => {
  for (const scope of SCOPES) {
    it(`open to "${scope}" the routes that name it and no others`, () => {
      const opened = ROUTES.flatMap((route, i) => (scopeAllows([scope], route, 'GET') ? [i] : []));
      expect(opened).toEqual(OPENED[scope]);
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
    expect(scopesNotCovered(['api'], ['api:read', 'flow:execute', 'webhooks'])).toEqual(['webhooks']);
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
