import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Json, type Person } from '../../../../../test/api/live-api.js';

const { person } = await liveApi();
const admin = await person('admin');
const { companyId } = admin.scope;
const editor = await person('flow_editor', companyId);
const manager = await person('integration_manager', companyId);
const foreign = await person('admin');

const LINKS = '/api/v1/integrations';
const FLOWS = '/api/v1/flows';

const link = async (who: Person, key: string | null, name = 'CRM') => {
  const body = { type: 'crm', name, key, access_token: 'xoxb-1' };
  return textOf((await who.send('POST', LINKS, { body })).body.id);
};
const flow = async (who: Person, body: object) => textOf((await who.send('POST', FLOWS, { body })).body.id);
const read = async (id: string) => (await admin.send('GET', `${FLOWS}/${id}`)).body;
const call = (integrationId: string) => ({
  ref: 'call',
  appId: 'web-request',
  args: { url: 'https://a.example/', auth: { integrationId } },
});
const linkIn = (body: Json) => /"integrationId":"([^"]+)"/.exec(JSON.stringify(body))?.[1];

describe('the key of a link', () => {
  it('is of one link of the company, found, changed and taken away', async () => {
    const id = await link(manager, 'one');
    expect((await admin.send('GET', `${LINKS}?key=one`)).body.items).toMatchObject([{ id, Key: 'one' }]);
    expect((await foreign.send('GET', `${LINKS}?key=one`)).body.items).toEqual([]);
    const taken = { status: 409, body: { code: 'key_taken', errors: [{ path: 'key' }] } };
    const body = { type: 'crm', name: 'x', access_token: 't', key: 'one' };
    expect(await admin.send('POST', LINKS, { body })).toMatchObject(taken);
    const other = await link(admin, null);
    expect(await admin.send('PATCH', `${LINKS}/${other}`, { body: { key: 'one' } })).toMatchObject(taken);
    expect((await foreign.send('POST', LINKS, { body })).status).toBe(201);
    expect((await admin.send('PATCH', `${LINKS}/${id}`, { body: { key: null } })).body.Key).toBeNull();
    expect((await admin.send('PATCH', `${LINKS}/${other}`, { body: { key: 'one' } })).body.Key).toBe('one');
    for (const key of ['', 'a b', '-a', 'a'.repeat(101)])
      expect((await admin.send('PATCH', `${LINKS}/${other}`, { body: { key } })).status, key).toBe(400);
    const entry = await admin.send('GET', `/api/v1/audit?action=integration_updated&resource_id=${other}`);
    expect(JSON.stringify(entry.body)).toContain('"Key":{"before":null,"after":"one"}');
  });
});

describe('a key in a flow', () => {
  it('is stored as the id, wherever it is written, and stays that of the link when the key moves', async () => {
    const id = await link(admin, 'crm');
    const called = await flow(admin, { name: 'called', key: 'called' });
    const made = await flow(admin, {
      name: 'caller',
      layers: [call('crm'), { ref: 'run', appId: 'run-flow', args: { flow: 'called' } }],
      settings: { onFailure: 'called' },
    });
    const stored = await read(made);
    expect(linkIn(stored)).toBe(id);
    expect(stored).toMatchObject({
      settings: { onFailure: called },
      layers: [{}, { args: { flowId: called } }],
    });
    // the same by other words is not a change
    const same = { layers: [call('crm'), { ref: 'run', appId: 'run-flow', args: { flowId: 'called' } }] };
    expect((await admin.send('PUT', `${FLOWS}/${made}`, { body: same })).body.version).toBe(1);
    const one = await flow(admin, { name: 'by layer' });
    const added = await admin.send('POST', `${FLOWS}/${one}/layers`, { body: call('crm') });
    expect(linkIn(added.body)).toBe(id);
    const path = `${FLOWS}/${one}/layers/call`;
    expect(linkIn((await admin.send('PUT', path, { body: { args: call('crm').args } })).body)).toBe(id);

    await admin.send('PATCH', `${LINKS}/${id}`, { body: { key: null } });
    const next = await link(admin, 'crm', 'another');
    expect(linkIn(await read(made))).toBe(id);
    expect((await admin.send('GET', `${FLOWS}/${made}/export`)).body.layers).toMatchObject([
      { args: { auth: { integrationId: '[left out]' } } },
      { args: { flowId: 'called' } },
    ]);
    expect(linkIn((await admin.send('PUT', path, { body: { args: call('crm').args } })).body)).toBe(next);
  });

  it('stands in a document, also in a variable, and means what has the key in that company', async () => {
    const ids = { own: await link(admin, 'mail'), foreign: await link(foreign, 'mail') };
    await flow(admin, { name: 'alarm', key: 'alarm' });
    const mail = { integrationId: '{{ $blueprint.mail }}', to: 'a@b.example', subject: 's', text: 't' };
    const layers = [{ ref: 'mail', appId: 'email', args: mail }];
    const blueprint = await flow(admin, {
      name: 'blueprint',
      isBlueprint: true,
      layers,
      settings: { onFailure: 'alarm' },
    });
    const instance = await admin.send('POST', `${FLOWS}/${blueprint}/instantiate`, {
      body: { name: 'instance', blueprintVars: { mail: 'mail' } },
    });
    const made = textOf(instance.body.id);
    const document = (await admin.send('GET', `${FLOWS}/${made}/export`)).body;
    expect(document).toMatchObject({ blueprintVars: { mail: 'mail' }, settings: { onFailure: 'alarm' } });
    const put = await admin.send('PUT', `${FLOWS}/${made}/document`, { body: document });
    expect(put.body.version).toBe(1);

    const path = `${FLOWS}/by-key/instance/document`;
    expect(await foreign.send('PUT', path, { body: { document, dryRun: true } })).toMatchObject({
      status: 422,
      body: { code: 'invalid_document', errors: [{ path: 'document.settings.onFailure', code: 'unknown_id' }] },
    });
    await flow(foreign, { name: 'alarm', key: 'alarm' });
    const there = textOf((await foreign.send('PUT', path, { body: document })).body.id);
    const grown = await foreign.send('POST', `${FLOWS}/${there}/layers`, { body: { ...layers[0], ref: 'again' } });
    expect(grown.body.warnings ?? []).toEqual([]);
    expect(
      (await foreign.send('PATCH', `${FLOWS}/${there}`, { body: { blueprintVars: { mail: 'mail' } } })).body,
    ).toMatchObject({ version: 2 });
    await foreign.send('DELETE', `${LINKS}/${ids.foreign}`);
    expect(
      (await foreign.send('PATCH', `${FLOWS}/${there}`, { body: { blueprintVars: { mail: 'mail' } } })).body,
    ).toMatchObject({
      code: 'unknown_id',
      errors: [{ path: 'blueprintVars.mail' }],
    });
    // what the request does not say is not judged
    expect((await foreign.send('PATCH', `${FLOWS}/${there}`, { body: { category: 'x' } })).status).toBe(200);
  });

  it('of what the caller may not see is as unknown as one of nothing, and is not exported to them', async () => {
    const hidden = await link(admin, 'hidden');
    const secret = await flow(admin, { name: 'secret', key: 'secret', restricted: true });
    const path = `${FLOWS}/${await flow(editor, { name: 'theirs' })}/layers`;
    const refusal = async (name: string, appId: string, args: object) => {
      const { status, body } = await editor.send('POST', path, { body: { ref: name, appId, args } });
      return { status, code: body.code, errors: body.errors, detail: body.detail };
    };
    const byLink = (integrationId: string) => refusal('a', 'web-request', call(integrationId).args);
    const byFlow = (name: string) => refusal('a', 'run-flow', { flow: name });
    expect(await byLink('hidden')).toEqual(await byLink('nothing'));
    expect(await byLink('hidden')).toMatchObject({
      status: 422,
      code: 'unknown_id',
      errors: [{ path: 'args.auth.integrationId' }],
    });
    expect(await byFlow('secret')).toEqual(await byFlow('nothing'));
    expect(await byFlow('secret')).toMatchObject({ status: 422, errors: [{ path: 'args.flow' }] });

    const layers = [call('hidden'), { ref: 'run', appId: 'run-flow', args: { flow: 'secret' } }];
    const shared = await flow(admin, { name: 'shared', layers });
    const exported = async (who: Person) => (await who.send('GET', `${FLOWS}/${shared}/export`)).body;
    expect(JSON.stringify(await exported(admin))).toMatch(/"hidden".*"secret"/);
    expect(JSON.stringify(await exported(editor))).not.toMatch(/hidden|secret/);
    // who may see it may still not use it
    const body = { resource_type: 'integration', resource_id: hidden, grant_type: 'user', grantee_id: editor.userId };
    await admin.send('POST', '/api/v1/access/grant', { body: { ...body, permissions: ['read'] } });
    expect(await byLink('hidden')).toMatchObject({ status: 403, code: 'denied' });
    expect(secret).not.toBe('');
  });
});
