import { describe, expect, it } from 'vitest';
import { ROLES, type Role } from './roles.js';
import { WHO, mayPass, roleAllows, type Who } from './route-rights.js';

/** Contract §1, written out by hand: which roles pass which "who". */
const PASSES: Readonly<Record<Exclude<Who, 'op'>, readonly Role[]>> = {
  any: ROLES,
  viewer: [
    'admin',
    'flow_editor',
    'flow_executor',
    'viewer',
    'audit_viewer',
    'integration_manager',
    'analytics_viewer',
  ],
  executor: ['admin', 'flow_editor', 'flow_executor'],
  editor: ['admin', 'flow_editor'],
  admin: ['admin'],
  audit: ['admin', 'audit_viewer'],
  integ: ['admin', 'integration_manager'],
  analytics: ['admin', 'analytics_viewer'],
  'E:read': ROLES,
  'E:execute': ROLES,
  'E:edit': ROLES,
  'E:delete': ROLES,
};

describe('the rights of routes', () => {
  for (const who of WHO) {
    if (who === 'op') continue;
    for (const role of ROLES) {
      const passes = PASSES[who].includes(role);
      it(`${passes ? 'lets' : 'keeps'} ${role} ${passes ? 'through' : 'out of'} "${who}"`, () => {
        expect(roleAllows(role, who)).toBe(passes);
        expect(mayPass({ role, operator: false }, [who])).toBe(passes);
      });
    }
  }

  it('asks the operator flag, and no role, for what is above companies', () => {
    for (const role of ROLES) {
      expect(mayPass({ role, operator: true }, ['op'])).toBe(true);
      expect(mayPass({ role, operator: false }, ['op'])).toBe(false);
    }
  });

  it('opens a route of several to whoever is one of them', () => {
    expect(mayPass({ role: 'audit_viewer', operator: false }, ['admin', 'audit'])).toBe(true);
    expect(mayPass({ role: 'flow_editor', operator: false }, ['admin', 'audit'])).toBe(false);
    expect(mayPass({ role: 'admin', operator: false }, [])).toBe(false);
  });
});
