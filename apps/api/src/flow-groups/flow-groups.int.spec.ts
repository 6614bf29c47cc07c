import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { FLOW_GROUPS, FLOWS, type FlowDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Person } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const { companyId } = editor.scope;
const GROUPS = '/api/v1/flow-groups';

async function made(path: string, body: object, by: Person = editor): Promise<string> {
  const answer = await by.send('POST', path, { body });
  expect(answer.status).toBe(201);
  return textOf(answer.body.id);
}

describe('flow groups', () => {
  it('are made, read, renamed and deleted', async () => {
    const answer = await editor.send('POST', GROUPS, { body: { name: 'Intake' } });
    const id = textOf(answer.body.id);
    const expected = { id, name: 'Intake', company_id: companyId, flows: [] };
    expect(answer).toMatchObject({ status: 201, headers: { location: `${GROUPS}/${id}` } });
    expect([answer.body, (await editor.send('GET', `${GROUPS}/${id}`)).body]).toEqual([expected, expected]);
    const renamed = await editor.send('PATCH', `/api/flow-groups/${id}`, { body: { name: 'Orders' } });
    expect(renamed).toMatchObject({ status: 200, body: { ...expected, name: 'Orders' } });
    expect((await editor.send('PATCH', `${GROUPS}/${id}`, { body: {} })).body.name).toBe('Orders');
    expect((await editor.send('GET', GROUPS)).body.items).toContainEqual({ ...expected, name: 'Orders' });
    expect((await editor.send('DELETE', `${GROUPS}/${id}`)).status).toBe(204);
    expect((await editor.send('DELETE', `${GROUPS}/${id}`)).status).toBe(404);
    const entries = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ resource_id: id })
      .sort({ _id: 1 })
      .toArray();
    expect(entries.map(({ action_type, changes }) => [action_type, changes])).toEqual([
      ['flow_group_created', { name: { before: null, after: 'Intake' } }],
      ['flow_group_updated', { name: { before: 'Intake', after: 'Orders' } }],
      ['flow_group_deleted', { name: { before: 'Orders', after: null } }],
    ]);
  });

  it('show each caller the flows that the caller may read', async () => {
    const id = await made(GROUPS, { name: 'Mixed' });
    const open = await made('/api/v1/flows', { name: 'Open', groupId: id });
    const closed = await made('/api/v1/flows', { name: 'Closed', groupId: id, restricted: true });
    const viewer = await person('viewer', companyId);
    const flowsFor = async (by: Person): Promise<unknown> => (await by.send('GET', `${GROUPS}/${id}`)).body.flows;
    expect([await flowsFor(editor), await flowsFor(viewer)]).toEqual([[closed, open], [open]]);
    expect((await (await person('none', companyId)).send('GET', GROUPS)).status).toBe(403);
  });

  it('take only flows of their own company, and say so', async () => {
    const stranger = await person('flow_editor');
    const theirs = await made(GROUPS, { name: 'Theirs' }, stranger);
    const flowId = await made('/api/v1/flows', { name: 'Mine' });
    for (const groupId of [theirs, newId(), flowId]) {
      const refusal = { status: 422, code: 'unknown_id', errors: [{ path: 'groupId', code: 'unknown_id' }] };
      expect((await editor.send('POST', '/api/v1/flows', { body: { name: 'x', groupId } })).body).toMatchObject(
        refusal,
      );
      expect((await editor.send('PUT', `/api/v1/flows/${flowId}`, { body: { groupId } })).body).toMatchObject(refusal);
    }
    expect((await editor.send('GET', `/api/v1/flows/${flowId}`)).body).toMatchObject({ version: 1, groupId: null });
  });

  it('stay while they have flows; deleted flows do not hold them, and leave them', async () => {
    const id = await made(GROUPS, { name: 'Held' });
    const flowId = await made('/api/v1/flows', { name: 'Member', groupId: id });
    const refused = await editor.send('DELETE', `${GROUPS}/${id}`);
    expect(refused.body).toMatchObject({ status: 409, code: 'flow_group_in_use' });
    expect((await editor.send('GET', `${GROUPS}/${id}`)).body.flows).toEqual([flowId]);
    expect((await editor.send('DELETE', `/api/v1/flows/${flowId}`)).status).toBe(204);
    expect((await editor.send('DELETE', `${GROUPS}/${id}`)).status).toBe(204);
    expect(await mongo.collection<FlowDocument>(FLOWS).findOne({ _id: flowId })).toMatchObject({ groupId: null });
  });

  it('take the grants on them along', async () => {
    const admin = await person('admin', companyId);
    const id = await made(GROUPS, { name: 'Granted' });
    const body = {
      ...{ resource_type: 'flow_group', resource_id: id, grant_type: 'user', grantee_id: editor.userId },
      permissions: ['read'],
    };
    expect((await admin.send('POST', '/api/v1/access/grant', { body })).status).toBe(201);
    expect((await admin.send('DELETE', `${GROUPS}/${id}`)).status).toBe(204);
    expect((await admin.send('GET', `/api/v1/access/grants?resource_id=${id}`)).body.total).toBe(0);
  });

  it('are never left by a deletion with a flow that joined meanwhile', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await made(GROUPS, { name: 'Raced' });
      const flowId = await made('/api/v1/flows', { name: 'Racer' });
      const [joined, deleted] = await Promise.all([
        editor.send('PUT', `/api/v1/flows/${flowId}`, { body: { groupId: id } }),
        editor.send('DELETE', `${GROUPS}/${id}`),
      ]);
      expect([
        [200, 409],
        [422, 204],
      ]).toContainEqual([joined.status, deleted.status]);
      const groups = await mongo.collection<{ _id: string }>(FLOW_GROUPS).countDocuments({ _id: id });
      expect(groups).toBe(joined.status === 200 ? 1 : 0);
    }
  });
});
