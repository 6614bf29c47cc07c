import { describe, expect, it } from 'vitest';
import { keepsAll, ROLES, type Role } from './roles.js';

/** docs/http-api.md §1.8, row by row: what each role can do at least as well as the one in front. */
const KEPT_BY: Readonly<Record<Role, readonly Role[]>> = {
  none: ROLES,
  viewer: [
    'viewer',
    'flow_executor',
    'flow_editor',
    'admin',
    'audit_viewer',
    'integration_manager',
    'analytics_viewer',
  ],
  flow_executor: ['flow_executor', 'flow_editor', 'admin'],
  flow_editor: ['flow_editor', 'admin'],
  admin: ['admin'],
  audit_viewer: ['audit_viewer', 'admin'],
  integration_manager: ['integration_manager', 'admin'],
  analytics_viewer: ['analytics_viewer', 'admin'],
};

describe('a change of role', () => {
  for (const before of ROLES) {
    it(`takes something from ${before} unless it is to one of ${KEPT_BY[before].join(', ')}`, () => {
      expect(ROLES.filter((after) => keepsAll(before, after)).sort()).toEqual([...KEPT_BY[before]].sort());
    });
  }
});
