import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { INTEGRATIONS, type IntegrationDocument } from '@weft/records';
import { ledgerServer, PRIVATE_CA, type LedgerCall } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer, type Json } from '../../../../test/api/live-api.js';

const { mongo, send, person } = await liveApi();
const links = mongo.collection<IntegrationDocument>(INTEGRATIONS);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
const admin = await person('admin');
const manager = await person('integration_manager', admin.scope.companyId);
const colleague = await person('integration_manager', admin.scope.companyId);
const server = await ledgerServer();
afterAll(() => server.close());

const PATH = '/api/v1/integrations';
const CRM = { type: 'crm', name: 'CRM', endpoint: `${server.url}/v1`, test: { method: 'GET', path: '/me?a=1' } };
const SECRET = 's3cr3t-words';
const KEYS = { access_key_id: 'a', secret_access_key: 'b' };
const AWS = { region: 'eu-central-1', service: 's3' };
const make = (body: object, by = manager) => by.send('POST', PATH, { body: { ...CRM, ...body } });
const test = async (id: Json | undefined) => (await manager.send('POST', `${PATH}/${textOf(id)}/test`)).body;

/** The server: 200 for a call that it takes, 401 for any other one. */
const takes = (isTaken: (call: LedgerCall) => boolean) =>
  server.answerWith((call) => ({ status: isTaken(call) ? 200 : 401, body: { echo: call.headers, path: call.path } }));

describe('a link of a kind', () => {
  const basic = `Basic ${Buffer.from(`user:${SECRET}`).toString('base64')}`;
  it.each([
    [
      { kind: 'bearer', access_token: SECRET },
      ({ headers }: LedgerCall) => headers.authorization === `Bearer ${SECRET}`,
    ],
    [
      { kind: 'header', access_token: SECRET, settings: { header: 'X-Key', prefix: 'Key ' } },
      ({ headers }: LedgerCall) => headers['x-key'] === `Key ${SECRET}`,
    ],
    [
      { kind: 'basic', username: 'user', password: SECRET },
      ({ headers }: LedgerCall) => headers.authorization === basic,
    ],
    [
      { kind: 'query', access_token: SECRET, settings: { parameter: 'key' } },
      ({ path }: LedgerCall) => path === `/v1/me?a=1&key=${SECRET}`,
    ],
    [
      { kind: 'hmac', access_token: SECRET, settings: { header: 'X-Sign', template: '{method}{path}' } },
      ({ headers }: LedgerCall) => /^[\da-f]{64}$/.test(String(headers['x-sign'])),
    ],
    [
      {
        kind: 'headers',
        secrets: { api_key: SECRET, app_key: `${SECRET}2` },
        settings: { headers: { 'DD-API-KEY': '{{api_key}}', Cookie: 'a={{ app_key }}; b={{api_key}}' } },
      },
      ({ headers }: LedgerCall) => headers['dd-api-key'] === SECRET && headers.cookie === `a=${SECRET}2; b=${SECRET}`,
    ],
    [
      {
        kind: 'aws_sigv4',
        secrets: { access_key_id: 'AKIDEXAMPLE', secret_access_key: SECRET },
        settings: { region: 'eu-central-1', service: 'execute-api' },
      },
      ({ headers }: LedgerCall) =>
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/execute-api\/aws4_request, SignedHeaders=host;x-amz-date, Signature=[\da-f]{64}$/.test(
          String(headers.authorization),
        ),
    ],
  ])('is tested with its credentials, which are shown nowhere: %j', async (body, isTaken) => {
    takes(isTaken);
    const made = await make(body);
    const { id } = made.body;
    expect(made).toMatchObject({ status: 201, body: { Kind: body.kind, Test: CRM.test } });
    expect(made.body.Settings).toEqual('settings' in body ? body.settings : {});
    const good = await test(id);
    expect(good).toMatchObject({ ok: true, detail: `127.0.0.1:${server.port} answered 200 to GET /me?a=1.` });
    takes(() => false);
    const bad = await test(id);
    expect(bad).toMatchObject({
      ok: false,
      detail: expect.stringContaining('does not take the credentials') as string,
    });
    const read = await admin.send('GET', `${PATH}/${textOf(id)}`);
    const everywhere = [
      ...[made, good, bad, read],
      await links.findOne({ _id: textOf(id) }),
      await audit.find({ resource_id: textOf(id) }).toArray(),
    ];
    expect(JSON.stringify(everywhere)).not.toContain(SECRET);
  });

  it.each([
    [{ kind: 'header', access_token: 'x' }, 'settings.header'],
    [{ kind: 'header', settings: { header: 'X-Key' } }, 'access_token'],
    [{ kind: 'header', access_token: 'x', settings: { header: 'Accept' } }, 'settings.header'],
    [{ kind: 'header', access_token: 'x', settings: { header: 'Host' } }, 'settings.header'],
    [{ kind: 'header', access_token: 'x', settings: { header: 'X-Key', parameter: 'y' } }, 'settings.parameter'],
    [{ kind: 'basic', access_token: 'x' }, 'access_token'],
    [{ kind: 'basic', username: 'a:b', password: '' }, 'username'],
    [{ kind: 'basic', username: 'a', password: '', refresh_token: 'r' }, 'refresh_token'],
    [{ kind: 'query', access_token: 'x' }, 'settings.parameter'],
    [{ kind: 'query', access_token: 'x', settings: { parameter: 'key', tls: 'off' } }, 'settings.tls'],
    [{ kind: 'basic', username: 'a', password: '', settings: { tls: 'maybe' } }, 'settings.tls'],
    [{ kind: 'basic', username: 'a', password: '', settings: { ca: 'x' } }, 'settings.ca'],
    [{ kind: 'basic', username: 'a', password: '', settings: { pool: 6 } }, 'settings.pool'],
    [{ access_token: 'x', client_secret: 'y' }, 'client_secret'],
    [{ access_token: 'x', endpoint: null }, 'test'],
    [{ kind: 'oauth2_client_credentials', client_secret: 'x' }, 'settings.token_url'],
    [{ kind: 'bearer', access_token: 'x', secrets: { a: 'b' } }, 'secrets'],
    [{ kind: 'headers', settings: { headers: { 'X-Key': '{{a}}' } } }, 'secrets'],
    [{ kind: 'headers', secrets: { a: 'b' } }, 'settings.headers'],
    [{ kind: 'headers', secrets: { a: 'b' }, settings: { headers: {} } }, 'settings.headers'],
    [{ kind: 'headers', secrets: { a: 'b' }, settings: { headers: { 'X-Key': 'a' } } }, 'settings.headers.X-Key'],
    [{ kind: 'headers', secrets: { a: 'b' }, settings: { headers: { 'X-Key': '{{b}}' } } }, 'settings.headers.X-Key'],
    [{ kind: 'headers', secrets: { a: 'b' }, settings: { headers: { Accept: '{{a}}' } } }, 'settings.headers.Accept'],
    [{ kind: 'headers', secrets: { a: 'b' }, settings: { headers: { 'X Y': '{{a}}' } } }, 'settings.headers'],
    [{ kind: 'headers', secrets: { a: 'b' }, settings: { headers: { X: '{{a}}', x: '{{a}}' } } }, 'settings.headers.x'],
    [{ kind: 'headers', secrets: { a: 'b\nX: y' }, settings: { headers: { X: '{{a}}' } } }, 'secrets.a'],
    [{ kind: 'headers', secrets: { a: 'b', c: 'd' }, settings: { headers: { X: '{{a}}' } } }, 'secrets.c'],
    [{ kind: 'headers', secrets: { 'A-b': 'b' }, settings: { headers: { X: '{{a}}' } } }, 'secrets'],
    [{ kind: 'aws_sigv4', secrets: { access_key_id: 'a' }, settings: AWS }, 'secrets.secret_access_key'],
    [{ kind: 'aws_sigv4', secrets: { ...KEYS, other: 'a' }, settings: AWS }, 'secrets.other'],
    [{ kind: 'aws_sigv4', secrets: KEYS, settings: { service: 's3' } }, 'settings.region'],
    [{ kind: 'aws_sigv4', secrets: KEYS, settings: { ...AWS, region: 'a/b' } }, 'settings.region'],
    [{ kind: 'aws_sigv4', access_token: 'x', settings: AWS }, 'access_token'],
    [
      { kind: 'oauth2', settings: { authorize_url: 'http://evil.example/', token_url: server.url, client_id: 'x' } },
      'settings.authorize_url',
    ],
    [
      { kind: 'oauth2', settings: { authorize_url: 'https://u:p@as.example/', token_url: server.url, client_id: 'x' } },
      'settings.authorize_url',
    ],
  ])('is refused when its fields do not fit: %j', async (body, path) => {
    expect(await make(body)).toMatchObject({ status: 400, body: { code: 'invalid_body', errors: [{ path }] } });
  });

  it.each(['postgres://db.example.com:5432/shop', 'mysql://db.example.com:3306/shop', 'mariadb://db.example.com/shop'])(
    'has the settings of a database: %s',
    async (endpoint) => {
      const settings = { tls: 'require', ca: PRIVATE_CA, read_only: true, schema: 'sales', pool: 2 };
      const made = await make({ kind: 'basic', username: 'weft', password: SECRET, endpoint, test: null, settings });
      expect(made).toMatchObject({ status: 201, body: { Endpoint: endpoint, Settings: settings } });
      expect(JSON.stringify(made)).not.toContain(SECRET);
    },
  );

  it('warns of a secret that is too short to be removed from answers, where it is stored', async () => {
    const warning = (path: string) => [
      { path, code: 'short_secret', message: expect.stringContaining('not removed') as string },
    ];
    const { body } = await make({ kind: 'basic', username: 'somebody', password: '1234' });
    expect(body.Warnings).toEqual(warning('password'));
    const short = { access_token: 'test' };
    expect((await make({ kind: 'query', ...short, settings: { parameter: 'key' } })).body.Warnings).toEqual(
      warning('access_token'),
    );
    const headers = { kind: 'headers', secrets: { a: 'test' }, settings: { headers: { 'X-Key': '{{a}}' } } };
    expect((await make(headers)).body.Warnings).toEqual(warning('secrets.a'));
    const signing = { kind: 'hmac', ...short, settings: { header: 'X-Sign' } };
    expect((await make(signing)).body).not.toHaveProperty('Warnings');
    const path = `${PATH}/${textOf(body.id)}`;
    const patch = async (change: object) => (await manager.send('PATCH', path, { body: change })).body;
    expect(await patch({ username: 'key', password: '' })).toMatchObject({ Warnings: warning('username') });
    for (const change of [{ name: 'other' }, { username: 'somebody', password: SECRET }]) {
      expect(await patch(change)).not.toHaveProperty('Warnings');
    }
    expect((await manager.send('GET', path)).body).not.toHaveProperty('Warnings');
  });

  it('changes its kind and where its secret goes only together with the secret', async () => {
    const { body } = await make({ kind: 'header', access_token: SECRET, settings: { header: 'X-Key' } });
    const patch = (change: object, by = manager) => by.send('PATCH', `${PATH}/${textOf(body.id)}`, { body: change });
    for (const change of [
      { kind: 'query' },
      { settings: { header: 'X-Other' } },
      { endpoint: 'https://evil.example' },
    ]) {
      expect(await patch(change)).toMatchObject({ status: 400, body: { errors: [{ path: 'access_token' }] } });
    }
    const two = { kind: 'headers', secrets: { a: SECRET }, settings: { headers: { 'X-Key': '{{a}}' } } };
    expect((await patch(two)).body).toMatchObject({ Kind: 'headers', Settings: two.settings });
    expect((await patch({ settings: { headers: { 'X-Other': '{{a}}' } } })).status).toBe(400);
    expect((await patch({ secrets: { a: 'another one' } })).body).toMatchObject({ Settings: two.settings });
    expect((await patch({ secrets: { b: 'another one' } })).status).toBe(400);
    await patch({ kind: 'header', access_token: SECRET, settings: { header: 'X-Key' } });
    const renewed = await patch({ access_token: 'another' });
    expect(renewed.body).toMatchObject({ Kind: 'header', Settings: { header: 'X-Key' } });
    const turned = await patch({ kind: 'query', access_token: 'another', settings: { parameter: 'key' } });
    expect(turned.body).toMatchObject({ Kind: 'query', Settings: { parameter: 'key' } });
    expect((await patch({ kind: 'header', access_token: 'another' })).status).toBe(400);
    const grant = { resource_type: 'integration', resource_id: body.id, grant_type: 'user' };
    const permissions = ['read', 'edit'];
    await admin.send('POST', '/api/v1/access/grant', { body: { ...grant, grantee_id: colleague.userId, permissions } });
    const other = { test: { method: 'POST', path: '/orders' } };
    expect((await patch(other, colleague)).status).toBe(403);
    expect((await patch({ test: null }, colleague)).status).toBe(200);
    expect((await patch(other)).body).toMatchObject({ Test: other.test });
  });
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const CLIENT = { token_url: `${server.url}/token`, client_id: 'weft app' };

describe('a link with client credentials', () => {
  it('fetches its token when it is used, and shows what its server refuses', async () => {
    const login = `Basic ${Buffer.from(`weft+app:${SECRET}`).toString('base64')}`;
    const before = server.calls.length;
    server.answerWith(({ path, headers, body }) => {
      if (path !== '/token') return { status: headers.authorization === 'Bearer minted' ? 204 : 401 };
      const isRight =
        headers.authorization === login && body === 'grant_type=client_credentials&scope=a+b&audience=crm';
      if (!isRight) return { status: 401, body: { error: 'invalid_client', error_description: headers.authorization } };
      return { body: { access_token: 'minted', expires_in: 600, token_type: 'Bearer' } };
    });
    const settings = { ...CLIENT, audience: 'crm' };
    const fields = { kind: 'oauth2_client_credentials', scopes: ['a', 'b'], settings };
    const { body } = await make({ ...fields, client_secret: SECRET });
    expect(body).toMatchObject({ TokenExpiry: null, Scopes: ['a', 'b'] });
    expect(await test(body.id)).toMatchObject({ ok: true });
    expect(await test(body.id)).toMatchObject({ ok: true });
    const asked = server.calls.slice(before);
    expect(asked.map(({ path }) => path)).toEqual(['/token', '/v1/me?a=1', '/v1/me?a=1']);
    expect(asked[0]?.headers).toMatchObject(FORM);
    const wrong = await manager.send('PATCH', `${PATH}/${textOf(body.id)}`, {
      body: { client_secret: 'wr0ng-secret' },
    });
    expect(wrong).toMatchObject({ status: 200, body: { Scopes: ['a', 'b'] } });
    const refused = await test(body.id);
    expect(refused).toMatchObject({ ok: false, detail: expect.stringContaining('invalid_client') as string });
    const stored = JSON.stringify([await links.findOne({ _id: textOf(body.id) }), refused, wrong]);
    expect(stored).not.toMatch(/wr0ng|s3cr3t|minted/);
  });
});

describe('a link with consent', () => {
  const settings = { ...CLIENT, authorize_url: `${server.url}/authorize?prompt=consent`, client_auth: 'post' };
  const connect = (id: Json | undefined, by = manager) =>
    by.send('POST', `${PATH}/connect`, { body: { integration_id: id, returnTo: '/links' } });
  const comeBack = (begun: Answer, query: Readonly<Record<string, string>>) => {
    const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
    return send('GET', `/auth/callback?${new URLSearchParams(query).toString()}`, { headers: { cookie } });
  };

  it('has a token when somebody has consented in the browser in which they began', async () => {
    const forms: URLSearchParams[] = [];
    server.answerWith(({ path, headers, body }) => {
      if (path !== '/token') return { status: headers.authorization === 'Bearer consented' ? 200 : 401 };
      forms.push(new URLSearchParams(body));
      return { body: { access_token: 'consented', refresh_token: 'r1', expires_in: 3600, scope: 'crm' } };
    });
    const { body } = await make({ kind: 'oauth2', client_secret: SECRET, scopes: ['crm.read'], settings });
    expect(await test(body.id)).toMatchObject({ ok: false, detail: expect.stringContaining('nobody') as string });
    const begun = await connect(body.id);
    const url = new URL(textOf(begun.body.authorize_url));
    const asked = Object.fromEntries(url.searchParams);
    expect(asked).toMatchObject({ prompt: 'consent', response_type: 'code', client_id: 'weft app', scope: 'crm.read' });
    expect(asked).toMatchObject({ code_challenge_method: 'S256' });
    const state = asked.state ?? '';
    const elsewhere = await send('GET', `/auth/callback?code=c&state=${state}`);
    expect(elsewhere.headers.location).toBe('/login?error=invalid_state');
    expect((await comeBack(begun, { code: 'c', state })).headers.location).toBe('/links');
    expect(Object.fromEntries(forms[0] ?? [])).toEqual({
      ...{ grant_type: 'authorization_code', code: 'c', redirect_uri: asked.redirect_uri, client_id: 'weft app' },
      ...{ code_verifier: expect.any(String) as string, client_secret: SECRET },
    });
    expect(await test(body.id)).toMatchObject({ ok: true });
    expect((await manager.send('GET', `${PATH}/${textOf(body.id)}`)).body.Scopes).toEqual(['crm.read']);
    // a code is taken once
    expect((await comeBack(begun, { code: 'c', state })).headers.location).toBe('/login?error=invalid_state');
    expect(forms).toHaveLength(1);
    const entries = await audit.find({ resource_id: textOf(body.id), action_type: 'integration_updated' }).toArray();
    expect(entries).toMatchObject([{ UserID: manager.userId, changes: { AccessToken: { after: '[secret]' } } }]);
    const everything = JSON.stringify([entries, await links.findOne({ _id: textOf(body.id) })]);
    expect(everything).not.toMatch(/consented|"r1"|s3cr3t/);
  });

  it('stays without one when nobody consents, or when its server is another one meanwhile', async () => {
    const { body } = await make({ kind: 'oauth2', settings });
    const begun = await connect(body.id);
    const state = new URL(textOf(begun.body.authorize_url)).searchParams.get('state') ?? '';
    const denied = await comeBack(begun, { error: 'access_denied', state });
    expect(denied.headers.location).toBe('/links?error=access_denied');
    const again = await connect(body.id);
    const moved = { kind: 'oauth2', settings: { ...settings, token_url: `${server.url}/another` } };
    expect((await manager.send('PATCH', `${PATH}/${textOf(body.id)}`, { body: moved })).status).toBe(200);
    const late = new URL(textOf(again.body.authorize_url)).searchParams.get('state') ?? '';
    expect((await comeBack(again, { code: 'c', state: late })).headers.location).toBe('/links?error=unknown_provider');
    expect(server.callsTo('/another')).toEqual([]);
  });

  it('gets no token when its endpoint or test changes before the consent, nor when its user lost the right', async () => {
    let duringExchange: () => Promise<unknown> = async () => undefined;
    server.answerWith(async ({ path }) => {
      if (path !== '/token') return { status: 204 };
      await duringExchange();
      return { body: { access_token: 'consented', expires_in: 3600 } };
    });
    const { body } = await make({ kind: 'oauth2', settings });
    const grant = { resource_type: 'integration', resource_id: body.id, grant_type: 'user' };
    const granted = { body: { ...grant, grantee_id: colleague.userId, permissions: ['read', 'edit'] } };
    expect((await admin.send('POST', '/api/v1/access/grant', granted)).status).toBe(201);
    const patch = async (change: object) =>
      expect((await colleague.send('PATCH', `${PATH}/${textOf(body.id)}`, { body: change })).status).toBe(200);
    const consent = async (by: typeof manager, change: () => Promise<unknown>) => {
      const begun = await connect(body.id, by);
      const state = new URL(textOf(begun.body.authorize_url)).searchParams.get('state') ?? '';
      await change();
      return (await comeBack(begun, { code: 'c', state })).headers.location;
    };
    const nothing = async () => undefined;
    const moved = { kind: 'oauth2', endpoint: `${server.url}/evil`, test: { method: 'GET', path: '/' } };
    expect(await consent(admin, () => patch(moved))).toBe('/links?error=unknown_provider');
    expect(await consent(admin, () => patch({ test: null }))).toBe('/links?error=unknown_provider');
    duringExchange = () => patch({ kind: 'oauth2', endpoint: `${server.url}/worse` });
    expect(await consent(admin, nothing)).toBe('/links?error=unknown_provider');
    duringExchange = nothing;
    expect((await links.findOne({ _id: textOf(body.id) }))?.RefreshError).toBe('not_connected');
    expect(await consent(colleague, nothing)).toBe('/links');
    expect((await links.findOne({ _id: textOf(body.id) }))?.RefreshError).toBeNull();
    await patch({ kind: 'oauth2', endpoint: `${server.url}/other` }); // its tokens go with it
    expect((await links.findOne({ _id: textOf(body.id) }))?.RefreshError).toBe('not_connected');
    const revoked = { body: { ...grant, grantee_id: colleague.userId, permissions: ['read'] } };
    const revoke = async () => {
      await admin.send('POST', '/api/v1/access/grant', revoked);
      const refused = { body: { name: 'CRM' } };
      const path = `${PATH}/${textOf(body.id)}`;
      await expect.poll(async () => (await colleague.send('PATCH', path, refused)).status).toBe(403);
    };
    expect(await consent(colleague, revoke)).toBe('/links?error=denied');
  });

  it('is connected by those who may change it, and only if it is of this kind', async () => {
    const { body } = await make({ kind: 'oauth2', settings });
    const plain = await make({ access_token: SECRET });
    expect((await connect(body.id, colleague)).body).toMatchObject({ code: 'unknown_id' });
    expect((await connect(body.id, await person('admin'))).body).toMatchObject({ code: 'unknown_id' });
    expect((await connect(plain.body.id)).body).toMatchObject({ code: 'invalid_body' });
    const both = { body: { integration_id: body.id, provider: 'microsoft' } };
    expect((await manager.send('POST', `${PATH}/connect`, both)).body).toMatchObject({ code: 'invalid_body' });
    expect((await manager.send('POST', `${PATH}/connect`, { body: {} })).body).toMatchObject({ code: 'invalid_body' });
  });
});
