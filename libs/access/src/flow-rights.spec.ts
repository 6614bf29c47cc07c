import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayOnFlow, mayOnPlay, type FlowPermission, type FlowUnderAccess } from './flow-rights.js';
import { PERMISSIONS } from './grants.js';
import { ROLES, type Role } from './roles.js';

const flow: FlowUnderAccess = { _id: 'f1', company_id: 'c1', createdBy: 'maker', groupId: null, restricted: false };
const restricted: FlowUnderAccess = { ...flow, restricted: true };
const as = (role: Role, userId = 'somebody', companyId = 'c1') => ({ userId, companyId, role });

/** The row "flows" of the matrix in docs/http-api.md §1.8, written out. */
const MATRIX: Readonly<Record<Role, readonly FlowPermission[]>> = {
  admin: ['read', 'execute', 'edit', 'delete'],
  flow_editor: ['read', 'execute', 'edit'],
  flow_executor: ['read', 'execute'],
  viewer: ['read'],
  audit_viewer: ['read'],
  integration_manager: ['read'],
  analytics_viewer: ['read'],
  none: [],
};

const anyRole = fc.constantFrom(...ROLES);
const anyPermission = fc.constantFrom(...PERMISSIONS);
const anyGrants = fc.subarray([...PERMISSIONS]);

describe('rights on a flow', () => {
  for (const role of ROLES) {
    it(`gives ${role} its row of the matrix, and nothing of a restricted flow without a grant`, () => {
      expect(PERMISSIONS.filter((p) => mayOnFlow(as(role), p, flow, []))).toEqual(MATRIX[role]);
      const open = role === 'admin' ? [...PERMISSIONS] : [];
      expect(PERMISSIONS.filter((p) => mayOnFlow(as(role), p, restricted, []))).toEqual(open);
    });

    it(`gives ${role} ${role === 'none' ? 'nothing for having made' : 'everything on'} a flow of its own`, () => {
      const made = PERMISSIONS.filter((p) => mayOnFlow(as(role, 'maker'), p, restricted, []));
      expect(made).toEqual(role === 'none' ? [] : [...PERMISSIONS]);
    });
  }

  it('adds what grants say to any role, also none, also on a restricted flow', () => {
    fc.assert(
      fc.property(anyRole, anyPermission, anyGrants, (role, permission, grants) => {
        const may = mayOnFlow(as(role), permission, restricted, grants);
        return may === (role === 'admin' || grants.includes(permission));
      }),
    );
  });

  it('never lets a grant take anything away', () => {
    fc.assert(
      fc.property(anyRole, anyPermission, anyGrants, fc.boolean(), (role, permission, grants, isRestricted) => {
        const subject = { ...flow, restricted: isRestricted };
        return !mayOnFlow(as(role), permission, subject, []) || mayOnFlow(as(role), permission, subject, grants);
      }),
    );
  });

  it('is nothing to anybody of another company, whatever they hold', () => {
    fc.assert(
      fc.property(anyRole, anyPermission, anyGrants, (role, permission, grants) => {
        return !mayOnFlow(as(role, 'maker', 'c2'), permission, flow, grants);
      }),
    );
  });
});

describe('rights on a play', () => {
  const mine = { triggeredBy: 'somebody' };
  const theirs = { triggeredBy: 'another' };
  const nobodys = { triggeredBy: null };

  it('lets nobody who may only read a restricted flow control its plays, editors included', () => {
    for (const role of ROLES) {
      const may = (action: 'control' | 'skip', grants: readonly FlowPermission[], play = theirs) =>
        mayOnPlay(as(role), action, play, restricted, grants);
      for (const action of ['control', 'skip'] as const) {
        expect(may(action, ['read'])).toBe(role === 'admin');
        expect(may(action, ['read', 'edit'])).toBe(true);
      }
      expect([may('control', ['read', 'execute'], mine), may('skip', ['read', 'execute'], mine)]).toEqual([
        true,
        role === 'admin',
      ]);
    }
  });

  it('lets editors control every play and executors only those that they started', () => {
    for (const role of ROLES) {
      const editor = role === 'admin' || role === 'flow_editor';
      expect(mayOnPlay(as(role), 'control', theirs, flow, [])).toBe(editor);
      expect(mayOnPlay(as(role), 'control', nobodys, flow, [])).toBe(editor);
      expect(mayOnPlay(as(role), 'control', mine, flow, [])).toBe(editor || role === 'flow_executor');
    }
  });

  it('lets a grant to execute and read control the own play, not another', () => {
    expect(mayOnPlay(as('none'), 'control', mine, restricted, ['read', 'execute'])).toBe(true);
    expect(mayOnPlay(as('none'), 'control', theirs, restricted, ['read', 'execute'])).toBe(false);
  });

  it('hides plays of a flow that the caller may not read', () => {
    for (const action of ['read', 'control', 'delete'] as const) {
      expect(mayOnPlay(as('flow_editor'), action, mine, restricted, [])).toBe(false);
      expect(mayOnPlay(as('admin', 'somebody', 'c2'), action, mine, flow, [])).toBe(false);
    }
  });

  it('leaves erasing to admins, also of the own', () => {
    expect(ROLES.filter((role) => mayOnPlay(as(role), 'delete', mine, flow, [...PERMISSIONS]))).toEqual(['admin']);
  });
});
