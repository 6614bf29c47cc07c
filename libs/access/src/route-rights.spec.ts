import { describe, expect, it } from 'vitest';
import { ROLES, type Role } from './roles.js';
import { OPERATOR, SIGNED_IN, atLeast, flow, mayPass, specialist, type RouteRight } from './route-rights.js';

const SEEING: readonly Role[] = [
  'admin',
  'flow_editor',
  'flow_executor',
  'viewer',
  'audit_viewer',
  'integration_manager',
  'analytics_viewer',
];

/** Written out by hand: which roles have which right. */
const ROLES_WITH: readonly (readonly [string, RouteRight, readonly Role[]])[] = [
  ['SIGNED_IN', SIGNED_IN, ROLES],
  ['the rank viewer', atLeast('viewer'), SEEING],
  ['the rank executor', atLeast('executor'), ['admin', 'flow_editor', 'flow_executor']],
  ['the rank editor', atLeast('editor'), ['admin', 'flow_editor']],
  ['the rank admin', atLeast('admin'), ['admin']],
  ['the audit specialist', specialist('audit_viewer'), ['admin', 'audit_viewer']],
  ['the integration specialist', specialist('integration_manager'), ['admin', 'integration_manager']],
  ['the analytics specialist', specialist('analytics_viewer'), ['admin', 'analytics_viewer']],
  ['a right on the flow', flow('delete'), ROLES],
];

describe('the rights of routes', () => {
  for (const [name, right, roles] of ROLES_WITH) {
    for (const role of ROLES) {
      const passes = roles.includes(role);
      it(`${passes ? 'lets' : 'keeps'} ${role} ${passes ? 'through' : 'out of'} a route for ${name}`, () => {
        expect(mayPass({ role, operator: false }, [right])).toBe(passes);
      });
    }
  }

  it('asks the operator flag, and no role, for what is above companies', () => {
    for (const role of ROLES) {
      expect(mayPass({ role, operator: true }, [OPERATOR])).toBe(true);
      expect(mayPass({ role, operator: false }, [OPERATOR])).toBe(false);
    }
  });

  it('opens a route of several to whoever is one of them', () => {
    const rights = [atLeast('admin'), specialist('audit_viewer')];
    expect(mayPass({ role: 'audit_viewer', operator: false }, rights)).toBe(true);
    expect(mayPass({ role: 'flow_editor', operator: false }, rights)).toBe(false);
    expect(mayPass({ role: 'admin', operator: false }, [])).toBe(false);
  });
});
