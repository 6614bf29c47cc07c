import { APIS, INTEGRATIONS, type ApiDocument, type IntegrationDocument } from '@weft/records';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';
import { mcpAuthorizationServer } from '../../../../test/fixtures/mcp-authorization-server.js';

const { mongo, person, send } = await liveApi();
const links = mongo.collection<IntegrationDocument>(INTEGRATIONS);
const PATH = '/api/v1/mcp-servers';

const server = await mcpAuthorizationServer();
const { base, asked } = server;
afterAll(() => server.close());
beforeEach(() => {
  server.said = {};
  asked.length = 0;
});

async function added(by: Person, url = `${base}/mcp`): Promise<string> {
  const made = await by.send('POST', PATH, { body: { name: 'Signed', url } });
  return textOf(made.body.id);
}

const authorize = (by: Person, id: string, body: object = {}) => by.send('POST', `${PATH}/${id}/authorize`, { body });

/** What the browser does after somebody has consented. */
async function consent(by: Person, integrationId: string, iss: string | null) {
  const begun = await by.send('POST', '/api/v1/integrations/connect', { body: { integration_id: integrationId } });
  const url = new URL(textOf(begun.body.authorize_url));
  const query = new URLSearchParams({
    ...{ code: 'the-code', state: url.searchParams.get('state') ?? '', ...(iss !== null && { iss }) },
  });
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  const back = await send('GET', `/auth/callback?${query.toString()}`, { headers: { cookie } });
  return { url, back };
}

it('finds the authorization server by the 401, registers there, and asks for tokens for this server alone', async () => {
  const admin = await person('admin');
  const id = await added(admin);
  const { status, body } = await authorize(admin, id);
  expect(status).toBe(200);
  const integrationId = textOf(body.integrationId);
  expect((await admin.send('GET', `${PATH}/${id}`)).body.integrationId).toBe(integrationId);
  const registered = JSON.parse(asked.find(({ path }) => path === '/register')?.text ?? '{}') as object;
  expect(registered).toMatchObject({ client_name: 'Weft', grant_types: ['authorization_code', 'refresh_token'] });
  const link = await links.findOne({ _id: integrationId });
  expect(link).toMatchObject({
    ...{ Kind: 'oauth2', Endpoint: `${base}/mcp`, Scopes: ['tools:call'] },
    Settings: { client_id: 'registered', resource: `${base}/mcp`, issuer: base, token_url: `${base}/token` },
  });
  const { url } = await consent(admin, integrationId, base);
  expect(url.origin + url.pathname).toBe(`${base}/authorize`);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ resource: `${base}/mcp`, code_challenge_method: 'S256', scope: 'tools:call', client_id: 'registered' },
  });
  const exchange = asked.find(({ path }) => path === '/token')?.form;
  expect(exchange?.get('resource')).toBe(`${base}/mcp`);
  expect(exchange?.get('code')).toBe('the-code');
  expect(await links.findOne({ _id: integrationId })).toMatchObject({ RefreshError: null });
});

it('gives no code to a server that another one has answered for', async () => {
  const admin = await person('admin');
  const { body } = await authorize(admin, await added(admin));
  await consent(admin, textOf(body.integrationId), 'https://evil.example');
  expect(asked.some(({ path }) => path === '/token')).toBe(false);
  expect(await links.findOne({ _id: textOf(body.integrationId) })).toMatchObject({ RefreshError: 'not_connected' });
});

const PROMISE = { authorization_response_iss_parameter_supported: true };
const tokensAsked = () => asked.filter(({ path }) => path === '/token').length;

it('gives no code to a server that promised to name itself, and whose answer names none (RFC 9207)', async () => {
  server.said = { server: PROMISE };
  const admin = await person('admin');
  const { body } = await authorize(admin, await added(admin));
  const integrationId = textOf(body.integrationId);
  const refused = await consent(admin, integrationId, null);
  expect(refused.back.headers.location).toContain('error=invalid_response');
  expect(tokensAsked()).toBe(0);
  expect(await links.findOne({ _id: integrationId })).toMatchObject({ RefreshError: 'not_connected' });
  await consent(admin, integrationId, base);
  expect(tokensAsked()).toBe(1);
  expect(await links.findOne({ _id: integrationId })).toMatchObject({ RefreshError: null });
});

it.each([
  ['a server that promised nothing', {}, null],
  ['a server that promised nothing, and names itself', {}, base],
  ['a link from before promises were stored', PROMISE, null],
] as const)('takes the answer of %s', async (what, said, iss) => {
  server.said = { server: said };
  const admin = await person('admin');
  const { body } = await authorize(admin, await added(admin));
  const _id = textOf(body.integrationId);
  if (what.startsWith('a link')) await links.updateOne({ _id }, { $unset: { 'Settings.issuer_promised': true } });
  await consent(admin, _id, iss);
  expect(await links.findOne({ _id })).toMatchObject({ RefreshError: null });
});

it('renews the link of the server with the client that is registered, and asks for no further one', async () => {
  const admin = await person('admin');
  const id = await added(admin);
  const first = textOf((await authorize(admin, id)).body.integrationId);
  await consent(admin, first, base);
  const connected = await links.findOne({ _id: first });
  expect((await authorize(admin, id)).body.integrationId).toBe(first);
  expect(await links.findOne({ _id: first })).toEqual(connected);
  expect(asked.filter(({ path }) => path === '/register')).toHaveLength(1);
  expect(await links.countDocuments({ CompanyID: admin.scope.companyId })).toBe(1);
  // what its servers say otherwise by now
  server.said = { server: PROMISE };
  expect((await authorize(admin, id)).body.integrationId).toBe(first);
  expect(await links.findOne({ _id: first })).toMatchObject({
    ...{ Name: connected?.Name, RefreshError: 'not_connected' },
    Settings: { client_id: 'registered', issuer_promised: true },
  });
  expect(asked.filter(({ path }) => path === '/register')).toHaveLength(1);
});

it('has the client of the company for another entry of the same server, and none of another company', async () => {
  const admin = await person('admin');
  const first = textOf((await authorize(admin, await added(admin))).body.integrationId);
  const second = textOf((await authorize(admin, await added(admin))).body.integrationId);
  expect(second).not.toBe(first);
  expect(asked.filter(({ path }) => path === '/register')).toHaveLength(1);
  const manager = await person('integration_manager', admin.scope.companyId);
  await authorize(manager, await added(manager)); // the links of the admin are not theirs to change
  const stranger = await person('admin');
  await authorize(stranger, await added(stranger));
  expect(asked.filter(({ path }) => path === '/register')).toHaveLength(3);
});

it('uses a client that was registered by hand, and registers none', async () => {
  const admin = await person('admin');
  const { body } = await authorize(admin, await added(admin), {
    client_id: 'by-hand',
    client_secret: 'a-secret-of-it',
  });
  expect(asked.some(({ path }) => path === '/register')).toBe(false);
  expect(await links.findOne({ _id: textOf(body.integrationId) })).toMatchObject({
    Settings: { client_id: 'by-hand' },
  });
  const shown = await admin.send('GET', `/api/v1/integrations/${textOf(body.integrationId)}`);
  expect(JSON.stringify(shown.body)).not.toContain('a-secret-of-it');
});

it.each([
  ['another issuer than its address', { server: { issuer: 'https://evil.example' } }],
  ['no PKCE', { server: { code_challenge_methods_supported: ['plain'] } }],
  ['another resource', { resource: { resource: 'https://bank.example/mcp' } }],
  ['no registration', { server: { registration_endpoint: undefined } }],
  ['a script as the page to consent at', { server: { authorization_endpoint: 'javascript:alert(1)' } }],
  ['a page to consent at in plain http', { server: { authorization_endpoint: 'http://pages.example/authorize' } }],
  ['tokens over plain http', { server: { token_endpoint: 'http://tokens.example/token' } }],
] as const)('makes no link where the servers say %s', async (_what, says) => {
  server.said = says;
  const admin = await person('admin');
  const id = await added(admin);
  const { status } = await authorize(admin, id);
  expect([400, 422]).toContain(status);
  expect(await links.countDocuments({ CompanyID: admin.scope.companyId })).toBe(0);
  expect((await admin.send('GET', `${PATH}/${id}`)).body.integrationId).toBe(null);
});

it('reaches nothing that web requests cannot', async () => {
  const admin = await person('admin');
  server.said = { resource: { authorization_servers: ['http://169.254.169.254'] } };
  expect(await authorize(admin, await added(admin))).toMatchObject({
    status: 503,
    body: { code: 'provider_unavailable' },
  });
  expect(await authorize(admin, await added(admin, 'http://169.254.169.254/mcp'))).toMatchObject({ status: 503 });
  server.said = { server: { registration_endpoint: 'http://169.254.169.254/register' } };
  expect(await authorize(admin, await added(admin))).toMatchObject({ status: 503 });
  expect(await links.countDocuments({ CompanyID: admin.scope.companyId })).toBe(0);
  // what the server says of itself is not read there; without it, the server is its own authorization server
  server.said = { challenge: 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"' };
  const { body } = await authorize(admin, await added(admin));
  const { Settings } = (await links.findOne({ _id: textOf(body.integrationId) })) ?? {};
  expect(Settings).toMatchObject({ token_url: `${base}/token`, resource: `${base}/mcp`, issuer: base });
});

it('is for those who may change the server', async () => {
  const [admin, stranger] = [await person('admin'), await person('admin')];
  const id = await added(admin);
  expect((await authorize(stranger, id)).status).toBe(404);
  const editor = await person('flow_editor', admin.scope.companyId);
  expect((await authorize(editor, id)).status).toBe(403);
  expect(await mongo.collection<ApiDocument>(APIS).findOne({ _id: id })).toMatchObject({ integrationId: null });
});

it('says who Weft is, for authorization servers that read it from its address', async () => {
  const { status, body } = await send('GET', '/oauth/client.json');
  expect(status).toBe(200);
  expect(textOf(body.client_id)).toMatch(/\/oauth\/client\.json$/);
  expect(body).toMatchObject({ client_name: 'Weft', token_endpoint_auth_method: 'none' });
});

it('sends nobody away whom the way back would not find: the page is at another host than API_URL', async () => {
  const admin = await person('admin');
  const { body } = await authorize(admin, await added(admin));
  const begin = (origin: string) =>
    admin.send('POST', '/api/v1/integrations/connect', {
      body: { integration_id: textOf(body.integrationId) },
      headers: { origin, host: new URL(origin).host },
    });
  const home = new URL(textOf((await send('GET', '/oauth/client.json')).body.client_id));
  expect((await begin(home.origin)).status).toBe(200);
  const refused = await begin('http://127.0.0.9:3000');
  expect(refused).toMatchObject({ status: 409, body: { code: 'other_address' } });
  expect(textOf(refused.body.detail)).toContain(home.origin);
  expect(refused.headers['set-cookie']).toBeUndefined();
});

it('reads the tools of a server that waited for the consent', async () => {
  const admin = await person('admin');
  const id = await added(admin);
  const apis = mongo.collection<ApiDocument>(APIS);
  await apis.updateOne(
    { _id: id },
    { $set: { state: 'failed', fault: 'integration_unusable', asked: null }, $unset: { turnAt: true } },
  );
  const { body } = await authorize(admin, id);
  const { back } = await consent(admin, textOf(body.integrationId), base);
  expect(back.headers.location).toBe('/');
  expect(await apis.findOne({ _id: id })).toMatchObject({
    ...{ state: 'importing', fault: null, attempts: 0 },
    asked: { source: { url: `${base}/mcp` }, dryRun: false },
  });
});
