import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SCOPES,
  isSessionOnly,
  parseLetters,
  parseScopes,
  scopeAllows,
  scopesNotCovered,
  seesOwnPlaysOnly,
  type Scope,
} from './scopes.js';

/** Every combination of letters that contract §2–§8 uses. */
const ROUTES = ['A R F P X S', 'A F', 'A', 'A R F', 'A P X', 'A R P', 'A R P X', 'A P', 'A R', 'A R C', 'S C', 'C'];
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

const OPENED: Readonly<Record<Scope, readonly string[]>> = {
  api: ['A R F P X S', 'A F', 'A', 'A R F', 'A P X', 'A R P', 'A R P X', 'A P', 'A R', 'A R C'],
  'api:read': ['A R F P X S', 'A R F', 'A R P', 'A R P X', 'A R', 'A R C'],
  read: ['A R F P X S', 'A R F', 'A R P', 'A R P X', 'A R', 'A R C'],
  'api:flows': ['A R F P X S', 'A F', 'A R F'],
  'api:plays': ['A R F P X S', 'A P X', 'A R P', 'A R P X', 'A P'],
  'flow:execute': ['A R F P X S', 'A P X', 'A R P X'],
  mcp: [],
  webhooks: [],
  admin: ['A R F P X S', 'S C'],
};

describe('scopes', () => {
  for (const scope of SCOPES) {
    it(`opens to "${scope}" exactly the routes that its letter stands on`, () => {
      expect(ROUTES.filter((letters) => scopeAllows([scope], letters, 'GET'))).toEqual(OPENED[scope]);
    });
  }

  it('lets the read scopes do nothing but GET and HEAD', () => {
    for (const scope of ['api:read', 'read'] as const) {
      expect(scopeAllows([scope], 'A R', 'HEAD')).toBe(true);
      for (const method of WRITES)
        for (const letters of ROUTES) expect(scopeAllows([scope], letters, method)).toBe(false);
    }
  });

  it('never gets fewer routes with one scope more', () => {
    fc.assert(
      fc.property(
        fc.subarray([...SCOPES]),
        fc.constantFrom(...SCOPES),
        fc.constantFrom(...ROUTES),
        fc.constantFrom('GET', ...WRITES),
        (scopes, more, letters, method) =>
          !scopeAllows(scopes, letters, method) || scopeAllows([...scopes, more], letters, method),
      ),
    );
  });

  it('lets a key pass on only what it can do itself', () => {
    fc.assert(
      fc.property(
        fc.subarray([...SCOPES]),
        fc.subarray([...SCOPES]),
        fc.constantFrom(...ROUTES),
        fc.constantFrom('GET', ...WRITES),
        (held, wanted, letters, method) =>
          scopesNotCovered(held, wanted).length > 0 ||
          !scopeAllows(wanted, letters, method) ||
          scopeAllows(held, letters, method),
      ),
    );
    expect(scopesNotCovered(['admin'], ['api', 'admin'])).toEqual(['api']);
    expect(scopesNotCovered(['api'], ['api:read', 'flow:execute', 'webhooks'])).toEqual(['webhooks']);
  });

  it('leaves to sessions what only C stands on', () => {
    expect(ROUTES.filter(isSessionOnly)).toEqual(['C']);
    expect(scopeAllows(SCOPES, 'C', 'GET')).toBe(false);
  });

  it('keeps a key that can only execute to its own plays', () => {
    expect(seesOwnPlaysOnly(['flow:execute'], 'GET')).toBe(true);
    expect(seesOwnPlaysOnly(['flow:execute', 'read'], 'GET')).toBe(false);
    expect(seesOwnPlaysOnly(['flow:execute', 'read'], 'POST')).toBe(true);
    expect(seesOwnPlaysOnly(['api'], 'POST')).toBe(false);
  });

  it('reads a comma-separated list and tells what it does not know', () => {
    expect(parseScopes(' api:read,flow:execute ,api:read,')).toEqual({
      scopes: ['api:read', 'flow:execute'],
      unknown: [],
    });
    expect(parseScopes('api,root,constructor')).toEqual({ scopes: ['api'], unknown: ['root', 'constructor'] });
  });

  it('refuses letters that the contract does not know', () => {
    expect(() => parseLetters('A Z')).toThrow(TypeError);
    expect(() => parseLetters('')).toThrow(TypeError);
    expect(() => parseLetters('toString')).toThrow(TypeError);
  });
});
