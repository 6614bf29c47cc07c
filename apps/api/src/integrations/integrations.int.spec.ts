import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { GRANTS, INTEGRATIONS, type GrantDocument, type IntegrationDocument } from '@weft/records';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Person } from '../../../../test/api/live-api.js';
import { identityProvider } from '../../../../test/fixtures/identity-provider.js';

const CALLBACK = 'https://weft.test/auth/callback';
const idp = await identityProvider({ redirectUris: [CALLBACK] });
afterAll(() => idp.close());
const { mongo, send, person } = await liveApi({
  MICROSOFT_CLIENT_ID: 'an-app',
  MICROSOFT_CLIENT_SECRET: 'microsoft-s3cret',
});
const links = mongo.collection<IntegrationDocument>(INTEGRATIONS);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);

const admin = await person('admin');
const manager = await person('integration_manager', admin.scope.companyId);
const colleague = await person('integration_manager', admin.scope.companyId);
const foreign = await person('admin');
const operator = await person('admin');
await mongo.collection<{ _id: string }>('users').updateOne({ _id: operator.userId }, { $set: { operator: true } });

const PATH = '/api/v1/integrations';
const PROVIDERS = '/api/v1/admin/oauth-providers';
const TOKEN = 'xoxb-0123456789';
const make = async (who: Person, more: object = {}): Promise<string> => {
  const body = { type: 'slack', name: 'Support', access_token: TOKEN, ...more };
  return textOf((await who.send('POST', PATH, { body })).body.id);
};
const providerBody = {
  name: 'Example ID',
  issuer: idp.issuer,
  client_id: idp.clientId,
  client_secret: idp.clientSecret,
  redirect_uri: CALLBACK,
};

describe('an integration link from a token', () => {
  it('is stored sealed and shown without its tokens', async () => {
    const body = {
      type: 'slack',
      name: 'Support',
      access_token: TOKEN,
      refresh_token: 'xoxr-1',
      token_expiry: '2099-01-01T00:00:00Z',
      scopes: ['chat:write'],
    };
    const answer = await manager.send('POST', '/api/integrations', { body });
    const id = textOf(answer.body.id);
    expect(answer).toMatchObject({
      status: 201,
      headers: { location: `${PATH}/${id}` },
      body: {
        ID: id,
        UserID: manager.userId,
        CompanyID: manager.scope.companyId,
        IntegrationType: 'slack',
        Name: 'Support',
        TokenExpiry: '2099-01-01T00:00:00.000Z',
        Scopes: ['chat:write'],
        ProviderUserID: null,
        ProviderUserEmail: null,
      },
    });
    const read = await admin.send('GET', `${PATH}/${id}`);
    expect(read.body).toEqual(answer.body);
    const everywhere = [
      answer,
      read,
      await links.findOne({ _id: id }),
      await audit.find({ resource_id: id }).toArray(),
    ];
    expect(JSON.stringify(everywhere)).not.toMatch(/xox/);
    const [entry] = await audit.find({ resource_id: id }).toArray();
    expect(entry).toMatchObject({
      action_type: 'integration_created',
      changes: { AccessToken: { after: '[secret]' } },
    });
  });

  it('is seen by admins and by who made it, and by nobody of another company', async () => {
    const id = await make(manager);
    const statusFor = async (who: Person) => (await who.send('GET', `${PATH}/${id}`)).status;
    expect(await Promise.all([admin, manager, colleague, foreign].map(statusFor))).toEqual([200, 200, 404, 404]);
    const listed = async (who: Person) =>
      ((await who.send('GET', PATH)).body.items as unknown as { id: string }[]).some((each) => each.id === id);
    expect(await Promise.all([admin, manager, colleague, foreign].map(listed))).toEqual([true, true, false, false]);
    const editor = await person('flow_editor', admin.scope.companyId);
    expect((await editor.send('GET', PATH)).body).toMatchObject({ code: 'denied' });
  });

  it('is seen and changed by who was granted it, as far as the grant goes', async () => {
    const id = await make(manager);
    const grant = (permissions: string[]) => ({
      resource_type: 'integration',
      resource_id: id,
      grant_type: 'user',
      grantee_id: colleague.userId,
      permissions,
    });
    expect((await colleague.send('POST', '/api/v1/access/grant', { body: grant(['edit']) })).status).toBe(403);
    expect((await manager.send('POST', '/api/v1/access/grant', { body: grant(['read']) })).status).toBe(201);
    expect((await colleague.send('GET', `${PATH}/${id}`)).status).toBe(200);
    const rename = { body: { name: 'Renamed' } };
    expect((await colleague.send('PATCH', `${PATH}/${id}`, rename)).body).toMatchObject({ code: 'denied' });
    await admin.send('POST', '/api/v1/access/grant', { body: grant(['edit']) });
    expect((await colleague.send('PATCH', `${PATH}/${id}`, rename)).body).toMatchObject({ Name: 'Renamed' });
    expect((await admin.send('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expect(await mongo.collection<GrantDocument>(GRANTS).countDocuments({ ResourceID: id })).toBe(0);
  });

  it('gets another token as a whole, and is deleted by an admin alone', async () => {
    const id = await make(manager, { refresh_token: 'xoxr-1', scopes: ['a'] });
    const before = await links.findOne({ _id: id });
    const patch = (body: object) => manager.send('PATCH', `${PATH}/${id}`, { body });
    expect((await patch({ scopes: ['b'] })).body).toMatchObject({ code: 'invalid_body' });
    expect((await patch({ access_token: 'xoxb-new' })).body).toMatchObject({ Name: 'Support', Scopes: [] });
    const after = await links.findOne({ _id: id });
    expect(after?.AccessToken).not.toBe(before?.AccessToken);
    expect(after?.RefreshToken).toBeNull();
    expect((await manager.send('DELETE', `${PATH}/${id}`)).status).toBe(403);
    expect((await foreign.send('DELETE', `${PATH}/${id}`)).status).toBe(404);
    const deleted = [await admin.send('DELETE', `${PATH}/${id}`), await admin.send('DELETE', `${PATH}/${id}`)];
    expect(deleted.map(({ status }) => status)).toEqual([204, 404]);
  });

  it('says of a test what was looked at', async () => {
    const test = async (id: string) => (await manager.send('POST', `${PATH}/${id}/test`)).body;
    expect(await test(await make(manager))).toEqual({
      ok: true,
      detail: expect.stringContaining('no service was asked') as string,
    });
    const ended = await make(manager, { token_expiry: '2020-01-01T00:00:00Z' });
    expect(await test(ended)).toEqual({ ok: false, detail: expect.stringContaining('has ended') as string });
    const [a, b] = [await make(manager), await make(manager)];
    const { AccessToken } = (await links.findOne({ _id: a }))!;
    await links.updateOne({ _id: b }, { $set: { AccessToken } });
    expect(await test(b)).toEqual({ ok: false, detail: 'Its stored token cannot be decrypted.' });
  });

  it.each([
    { type: 'slack', name: 'x' },
    { type: 'a b', name: 'x', access_token: 't' },
    { type: 'slack', name: 'x', access_token: 'two words' },
    { type: 'slack', name: 'x', access_token: 't\r\nX-Evil: 1' },
    { type: 'slack', name: 'x', access_token: 't', token_expiry: 'soon' },
    { type: 'slack', name: 'x', access_token: 't', token_expiry: '2026-13-01T00:00:00Z' },
    { type: 'slack', name: 'x', access_token: 't', UserID: 'u' },
  ])('refuses the body %j', async (body) => {
    expect((await manager.send('POST', PATH, { body })).status).toBe(400);
  });
});

describe('an integration link in a flow', () => {
  it('is used by who made it, admins, and who was granted that; others do not write where its token goes', async () => {
    const editor = await person('flow_editor', admin.scope.companyId);
    const link = await make(manager);
    const flow = async (who: Person) => {
      const { id } = (await who.send('POST', '/api/v1/flows', { body: { name: 'f' } })).body;
      return `/api/v1/flows/${textOf(id)}`;
    };
    const layer = (ref: string, integrationId: string) => ({
      ref,
      appId: 'web-request',
      args: { url: 'https://evil.example/', auth: { integrationId } },
    });
    const write = async (who: Person, path: string, body: object) =>
      (await who.send('POST', `${path}/layers`, { body })).status;
    const [theirs, shared] = [await flow(editor), await flow(admin)];
    expect(await write(editor, theirs, layer('a', link))).toBe(403);
    expect(await write(editor, theirs, layer('a', '{{ $prev.args.link }}'))).toBe(403);
    expect(await write(admin, shared, layer('a', link))).toBe(201);
    const exported = JSON.stringify((await admin.send('GET', `${shared}/export`)).body);
    const document = JSON.parse(exported.replace('[left out]', link)) as object;
    expect((await editor.send('POST', '/api/v1/flows/import', { body: { document } })).status).toBe(403);
    const rest = { ref: 'b', appId: 'text-template', args: { template: 'x' } };
    expect(await write(editor, shared, rest)).toBe(403);
    expect((await editor.send('PATCH', shared, { body: { name: 'renamed', isBlueprint: true } })).status).toBe(200);
    const instance = { body: { name: 'i', blueprintVars: {} } };
    expect((await editor.send('POST', `${shared}/instantiate`, instance)).status).toBe(403);
    const grant = { resource_type: 'integration', resource_id: link, grant_type: 'user', grantee_id: editor.userId };
    const give = (permissions: string[]) =>
      manager.send('POST', '/api/v1/access/grant', { body: { ...grant, permissions } });
    expect((await give(['read', 'edit'])).status).toBe(201);
    expect(await write(editor, theirs, layer('a', link))).toBe(403);
    expect((await give(['execute'])).status).toBe(200);
    expect(await write(editor, theirs, layer('a', link))).toBe(201);
    expect(await write(editor, shared, rest)).toBe(201);
    expect((await editor.send('POST', '/api/v1/flows/import', { body: { document } })).status).toBe(201);
    expect((await editor.send('POST', `${shared}/instantiate`, instance)).status).toBe(201);
  });
});

describe('connecting an account', () => {
  it('makes one link, and renews that one when it is connected again', async () => {
    const provider = textOf((await operator.send('POST', PROVIDERS, { body: providerBody })).body.id);
    idp.accounts.set('ada', { email: 'ada@example.org', email_verified: false });
    const connect = async (who: Person) => {
      const started = await who.send('POST', `${PATH}/connect`, { body: { provider, returnTo: '/links?x=1' } });
      const callback = await idp.walk(textOf(started.body.authorize_url), 'ada');
      const cookie = String(started.headers['set-cookie']).split(';')[0] ?? '';
      return send('GET', callback.pathname + callback.search, { headers: { cookie } });
    };
    const [answer, twin] = await Promise.all([connect(manager), connect(manager)]);
    expect([answer.status, twin.status]).toEqual([302, 302]);
    expect(answer).toMatchObject({ status: 302, headers: { location: '/links?x=1' } });
    expect(String(answer.headers['set-cookie'])).not.toContain('sid=');
    const [first] = await links.find({ ProviderID: provider }).toArray();
    expect(first).toMatchObject({
      UserID: manager.userId,
      ProviderUserID: 'ada',
      ProviderUserEmail: 'ada@example.org',
    });
    expect(first?.RefreshToken).toMatch(/^v1\./);
    await connect(manager);
    const again = await links.find({ ProviderID: provider }).toArray();
    expect(again.map(({ _id }) => _id)).toEqual([first?._id]);
    expect(again[0]?.AccessToken).not.toBe(first?.AccessToken);
    const test = async () => (await manager.send('POST', `${PATH}/${first?._id}/test`)).body;
    expect(await test()).toMatchObject({ ok: true });
    // a provider that another issuer took over is shown no token
    const issuer = idp.issuer.replace('localhost', '127.0.0.1');
    const moved = { issuer, client_secret: idp.clientSecret };
    expect((await operator.send('PATCH', `${PROVIDERS}/${provider}`, { body: moved })).status).toBe(200);
    expect(await test()).toMatchObject({ ok: false, detail: expect.stringContaining('another one now') as string });
    await operator.send('PATCH', `${PROVIDERS}/${provider}`, { body: { ...moved, issuer: idp.issuer } });
    // nor is a token by hand shown as the account's
    const byHand = await manager.send('PATCH', `${PATH}/${first?._id}`, { body: { access_token: 'mine' } });
    expect(byHand.body).toMatchObject({ ProviderUserID: null, ProviderUserEmail: null });
    // who may not make links any more when they come back makes none
    const started = await colleague.send('POST', `${PATH}/connect`, { body: { provider } });
    const path = `/api/v1/users/${colleague.userId}`;
    await admin.send('PATCH', path, { body: { roles: [{ company_id: admin.scope.companyId, role: 'viewer' }] } });
    const callback = await idp.walk(textOf(started.body.authorize_url), 'ada');
    const cookie = String(started.headers['set-cookie']).split(';')[0] ?? '';
    const late = await send('GET', callback.pathname + callback.search, { headers: { cookie } });
    expect(late).toMatchObject({ status: 302, headers: { location: '/?error=denied' } });
    expect(await links.countDocuments({ ProviderID: provider })).toBe(1);
  });

  it('says when to try again while the provider is unreachable', async () => {
    const body = { ...providerBody, name: 'Unreachable', issuer: 'http://127.0.0.1:9' };
    const provider = textOf((await operator.send('POST', PROVIDERS, { body })).body.id);
    const answer = await manager.send('POST', `${PATH}/connect`, { body: { provider } });
    expect(answer).toMatchObject({ status: 503, body: { code: 'provider_unavailable', retryable: true } });
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    await operator.send('DELETE', `${PROVIDERS}/${provider}`);
  });

  it('needs a provider that is there, a path of this site, and a browser', async () => {
    const connect = (body: object, headers = {}) => manager.send('POST', `${PATH}/connect`, { body, headers });
    expect((await connect({ provider: newId() })).body).toMatchObject({ code: 'unknown_id' });
    expect((await connect({ provider: 'x', returnTo: '//evil.example' })).body).toMatchObject({ code: 'invalid_body' });
    const key = { name: 'k', user_id: manager.userId, scope: 'api' };
    const { body } = await admin.send('POST', '/api/v1/admin/api-keys', { body: key });
    const headers = { authorization: `Bearer ${textOf(body.token)}` };
    const answer = await send('POST', `${PATH}/connect`, { body: { provider: 'microsoft' }, headers });
    expect(answer).toMatchObject({ status: 403, body: { code: 'session_required' } });
  });
});

describe('the list of identity providers', () => {
  it('belongs to operators', async () => {
    for (const [method, path] of [['GET', PROVIDERS] as const, ['POST', PROVIDERS] as const]) {
      expect((await admin.send(method, path, { body: {} })).body).toMatchObject({ code: 'operator_required' });
    }
  });

  it('never shows a secret, nor stores it readable', async () => {
    const made = await operator.send('POST', PROVIDERS, { body: providerBody });
    const id = textOf(made.body.id);
    expect(made).toMatchObject({
      status: 201,
      body: {
        issuer: idp.issuer,
        has_client_secret: true,
        scopes: ['openid', 'profile', 'email'],
        auto_create_users: false,
        auto_assign_company: null,
        auto_assign_role: 'none',
        built_in: false,
      },
    });
    const changed = await operator.send('PATCH', `${PROVIDERS}/${id}`, { body: { client_secret: 'an0ther-secret' } });
    const stored = await mongo.collection<{ _id: string }>('oauth_providers').findOne({ _id: id });
    const entries = await audit.find({ resource_id: id }).toArray();
    const everywhere = JSON.stringify([made, changed, stored, entries, await operator.send('GET', PROVIDERS)]);
    expect(everywhere).not.toContain(idp.clientSecret);
    expect(everywhere).not.toContain('an0ther-secret');
    expect(entries.map(({ action_type }) => action_type)).toEqual(['oauth_provider_created', 'oauth_provider_updated']);
    const elsewhere = await operator.send('PATCH', `${PROVIDERS}/${id}`, { body: { issuer: 'https://evil.example' } });
    expect(elsewhere).toMatchObject({ status: 400, body: { errors: [{ path: 'client_secret' }] } });
    const removed = [
      await operator.send('DELETE', `${PROVIDERS}/${id}`),
      await operator.send('GET', `${PROVIDERS}/${id}`),
    ];
    expect(removed.map(({ status }) => status)).toEqual([204, 404]);
  });

  it.each([
    [{ issuer: 'http://id.example.com' }, 400],
    [{ issuer: 'not an address' }, 400],
    [{ issuer: 'https://user:pass@id.example.com' }, 400],
    [{ issuer: 'https://id.example.com?x=1' }, 400],
    [{ redirect_uri: 'http://weft.example.com/auth/callback' }, 400],
    [{ scopes: ['profile'] }, 400],
    [{ scopes: ['openid', 'two words'] }, 400],
    [{ auto_assign_role: 'owner' }, 400],
    [{ auto_assign_company: 'nobody' }, 422],
  ])('refuses %j', async (part, status) => {
    expect((await operator.send('POST', PROVIDERS, { body: { ...providerBody, ...part } })).status).toBe(status);
  });

  it('has Microsoft where the environment names it, for everybody to see and nobody to change', async () => {
    const path = `${PROVIDERS}/microsoft`;
    const { body } = await operator.send('GET', path);
    expect(body).toMatchObject({
      id: 'microsoft',
      name: 'Microsoft',
      issuer: 'https://login.microsoftonline.com/common/v2.0',
      client_id: 'an-app',
      has_client_secret: true,
      built_in: true,
    });
    expect((await operator.send('PATCH', path, { body: { name: 'x' } })).body).toMatchObject({ code: 'denied' });
    expect((await operator.send('DELETE', path)).body).toMatchObject({ code: 'denied' });
    const first = await operator.send('GET', `${PROVIDERS}?size=1`);
    const next = await operator.send('GET', `${PROVIDERS}?size=1&cursor=${textOf(first.body.nextCursor)}`);
    expect(first.body).toMatchObject({ total: 2, items: [{ built_in: false }] });
    expect(next.body).toMatchObject({ items: [{ id: 'microsoft' }], nextCursor: null });
    expect(JSON.stringify([body, first, next])).not.toContain('s3cret');
  });
});
