import type { PlayTrigger } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { mayDecideApproval, type Decider } from './approval-rights.js';
import type { FlowUnderAccess } from './flow-rights.js';
import { PERMISSIONS, type Permission } from './grants.js';
import { ROLES, type Role } from './roles.js';

const flow: FlowUnderAccess = { _id: 'f1', company_id: 'c1', createdBy: 'maker', groupId: null, restricted: false };
const restricted: FlowUnderAccess = { ...flow, restricted: true };
const ofAnother = { triggeredBy: 'another', trigger: 'api' } as const;
const as = (role: Role, fields: Partial<Decider> = {}): Decider => ({
  ...{ userId: 'somebody', companyId: 'c1', role, groupIds: ['g1'], auth: 'session', scopes: [] },
  ...fields,
});
const rolesWith = (approvers: readonly string[], grants: readonly Permission[], on = flow) =>
  ROLES.filter((role) => mayDecideApproval(as(role), approvers, ofAnother, on, grants));
const READERS = ROLES.filter((role) => role !== 'none');

describe('the right to decide an approval', () => {
  it('is that of whom it names, in person or by a group, if they may read the flow, and of admins', () => {
    for (const named of ['somebody', 'g1']) {
      expect(rolesWith([named], [])).toEqual(READERS);
      expect(rolesWith([named], [], restricted)).toEqual(['admin']);
      expect(rolesWith([named], ['read'], restricted)).toEqual([...ROLES]);
    }
    expect(rolesWith(['another'], [...PERMISSIONS])).toEqual(['admin']);
  });

  it('is that of those who may edit the flow when it names nobody', () => {
    expect(rolesWith([], [])).toEqual(['admin', 'flow_editor']);
    expect(rolesWith([], ['read', 'execute'], restricted)).toEqual(['admin']);
    expect(rolesWith([], ['read', 'edit'], restricted)).toEqual([...ROLES]);
  });

  it('is nothing to anybody of another company', () => {
    const stranger = as('admin', { companyId: 'c2' });
    expect(mayDecideApproval(stranger, ['somebody'], ofAnother, flow, [...PERMISSIONS])).toBe(false);
  });

  it('is that of an agent only if its key says so, and not of plays that it may have started', () => {
    const agent = (fields: Partial<Decider> = {}) =>
      as('admin', { auth: 'api_key', scopes: ['api', 'mcp'], mcp: { decide_approvals: true }, ...fields });
    const may = (caller: Decider, play: { triggeredBy: string | null; trigger: PlayTrigger } = ofAnother) =>
      mayDecideApproval(caller, [], play, flow, []);
    const triggers = ['api', 'schedule', 'retry', 'rerun', 'flow', 'hook', 'mcp'] as const;
    const ownOf = (caller: Decider) => triggers.filter((trigger) => may(caller, { triggeredBy: 'somebody', trigger }));
    expect(ownOf(agent({ scopes: ['mcp'] }))).toEqual(['api', 'schedule', 'hook']);
    // it runs schedules, and makes schedules and triggers, over the HTTP API
    expect(ownOf(agent())).toEqual(['api']);
    expect(triggers.filter((trigger) => may(agent(), { triggeredBy: 'another', trigger }))).toEqual(triggers);
    for (const mcp of [undefined, {}, { drafts_only: true }, { decide_approvals: false }]) {
      expect(may(agent({ mcp }))).toBe(false);
    }
    expect(may(agent({ mcp: undefined, scopes: ['api:plays'] }))).toBe(true);
  });
});
