import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { API_KEYS, USERS, type ApiKeyDocument, type UserDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Json, type Person } from '../../../../test/api/live-api.js';

const { mongo, send, person } = await liveApi();
const keys = mongo.collection<ApiKeyDocument>(API_KEYS);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
const users = mongo.collection<UserDocument>(USERS);
const KEYS = '/api/v1/admin/api-keys';
const HOUR_MS = 3_600_000;

const admin = await person('admin');
const make = (body: object, by: Person = admin): Promise<Answer> => by.send('POST', KEYS, { body });
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const me = (token: Json | string | undefined): Promise<Answer> =>
  send('GET', '/api/v1/auth/me', { headers: bearer(typeof token === 'string' ? token : textOf(token)) });

describe('making an API key', () => {
  it('gives the token once, with the defaults of the contract', async () => {
    const answer = await make({ name: 'intake' });
    const { id, token } = answer.body;
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${KEYS}/${textOf(id)}`);
    expect(answer.body).toMatchObject({
      name: 'intake',
      user_id: admin.userId,
      company_id: admin.scope.companyId,
      scope: 'api',
    });
    const lifetime = Date.parse(textOf(answer.body.expires_at)) - Date.parse(textOf(answer.body.created_at));
    expect(Math.abs(lifetime - 24 * HOUR_MS)).toBeLessThanOrEqual(1_000);

    const read = await admin.send('GET', `${KEYS}/${textOf(id)}`);
    expect(read.body).toMatchObject({ id, revoked_at: null, last_used_at: null });
    const list = await admin.send('GET', KEYS);
    const stored = JSON.stringify([read.body, list.body, await keys.find().toArray(), await audit.find().toArray()]);
    expect(stored).not.toContain(textOf(token));
    expect(await audit.findOne({ resource_id: textOf(id) })).toMatchObject({
      action_type: 'api_key_created',
      UserID: admin.userId,
      resource_type: 'api_key',
    });
  });

  for (const path of ['/api/admin/api-keys', '/api/v1/auth/api-keys', '/api/auth/api-keys']) {
    it(`works at ${path} too`, async () => {
      const answer = await admin.send('POST', path, { body: { name: 'key' } });
      expect(answer.status).toBe(201);
      expect((await me(answer.body.token)).body).toMatchObject({ auth: 'api_key', scopes: ['api'] });
    });
  }

  const inAYear = (): string => {
    const date = new Date();
    date.setUTCFullYear(date.getUTCFullYear() + 1);
    return date.toISOString();
  };
  const refused: readonly [string, () => object, number, string][] = [
    ['no name', () => ({}), 400, 'invalid_body'],
    ['a time past', () => ({ name: 'k', expires_at: new Date().toISOString() }), 400, 'invalid_body'],
    [
      'more than a year',
      () => ({ name: 'k', expires_at: inAYear().replace(/^\d+/, (y) => `${+y + 1}`) }),
      400,
      'invalid_body',
    ],
    ['a time without zone', () => ({ name: 'k', expires_at: '2030-01-01T00:00:00' }), 400, 'invalid_body'],
    ['another company', () => ({ name: 'k', company_id: newId() }), 404, 'not_found'],
    ['an unknown scope', () => ({ name: 'k', scope: 'api,root' }), 422, 'unknown_scope'],
    ['an empty scope', () => ({ name: 'k', scope: ' , ' }), 422, 'unknown_scope'],
    ['an unknown user', () => ({ name: 'k', user_id: newId() }), 422, 'unknown_id'],
    ['a token of its own', () => ({ name: 'k', token: 'x' }), 400, 'unknown_field'],
  ];
  for (const [what, body, status, code] of refused) {
    it(`is refused with ${what}`, async () => {
      expect(await make(body())).toMatchObject({ status, body: { code } });
    });
  }

  it('takes a whole year, and a company and user that are the own', async () => {
    const own = { user_id: admin.userId, company_id: admin.scope.companyId };
    const answer = await make({ name: 'k', expires_at: inAYear(), scope: 'read, flow:execute', ...own });
    expect(answer).toMatchObject({ status: 201, body: { scope: 'read,flow:execute' } });
  });

  it('never reaches a user of another company', async () => {
    const stranger = await person('viewer');
    expect(await make({ name: 'k', user_id: stranger.userId })).toMatchObject({
      status: 422,
      body: { code: 'unknown_id' },
    });
  });

  it('that acts as an operator is for operators, not for who holds a key of theirs that is none', async () => {
    const operator = await person('admin', admin.scope.companyId);
    await users.updateOne({ _id: operator.userId }, { $set: { operator: true } });
    const ofOperator = { name: 'k', scope: 'admin', user_id: operator.userId };
    expect(await make(ofOperator)).toMatchObject({ status: 403, body: { code: 'denied' } });
    const own = await make(ofOperator, operator);
    expect(own.status).toBe(201);
    // as if the admin had not been refused
    await keys.updateOne({ _id: textOf(own.body.id) }, { $set: { created_by: admin.userId } });
    const byToken = await send('POST', KEYS, {
      body: { name: 'k', scope: 'admin' },
      headers: bearer(textOf(own.body.token)),
    });
    expect(byToken).toMatchObject({ status: 403, body: { code: 'denied' } });
  });

  it('is for admins, and no token gets more than the one it was made with', async () => {
    const editor = await person('flow_editor', admin.scope.companyId);
    expect(await make({ name: 'k' }, editor)).toMatchObject({
      status: 403,
      body: { code: 'denied', reason: 'denied' },
    });
    const { token } = (await make({ name: 'k', scope: 'admin' })).body;
    const byToken = (scope: string): Promise<Answer> =>
      send('POST', KEYS, { body: { name: 'k', scope }, headers: bearer(textOf(token)) });
    expect(await byToken('api')).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect(await byToken('admin')).toMatchObject({ status: 201 });
    const plain = bearer(textOf((await make({ name: 'k', scope: 'api' })).body.token));
    expect((await send('GET', KEYS, { headers: plain })).status).toBe(200);
    expect(await send('POST', KEYS, { body: { name: 'k' }, headers: plain })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', reason: 'insufficient scope' },
    });
  });
});

describe('an API key in use', () => {
  it('has the rights that its user has now', async () => {
    const other = await person('viewer', admin.scope.companyId);
    const { token } = (await make({ name: 'k', user_id: other.userId, scope: 'admin,api' })).body;
    expect((await me(token)).body).toMatchObject({ user: { id: other.userId }, roles: ['viewer'], operator: false });
    expect(await send('GET', KEYS, { headers: bearer(textOf(token)) })).toMatchObject({
      status: 403,
      body: { code: 'denied' },
    });
  });

  it('wins over a cookie, also when it is bad', async () => {
    const { token } = (await make({ name: 'k' })).body;
    expect((await admin.send('GET', '/api/v1/auth/me', { headers: bearer(textOf(token)) })).body.auth).toBe('api_key');
    for (const authorization of ['Bearer x', 'Basic eDp5', 'Bearer', '']) {
      const answer = await admin.send('GET', '/api/v1/auth/me', { headers: { authorization } });
      expect(answer.status, authorization).toBe(401);
    }
  });

  it('is refused from the moment that it is revoked', async () => {
    const { id, token } = (await make({ name: 'k' })).body;
    expect((await me(token)).status).toBe(200);
    const revoke = (): Promise<Answer> => admin.send('DELETE', `${KEYS}/${textOf(id)}`);
    expect((await revoke()).status).toBe(204);
    expect(await me(token)).toMatchObject({ status: 401, body: { code: 'token_revoked', reason: 'token revoked' } });
    expect((await revoke()).status).toBe(204);
    expect((await admin.send('GET', `${KEYS}/${textOf(id)}`)).body.revoked_at).toMatch(/Z$/);
    expect(await audit.countDocuments({ action_type: 'api_key_revoked', resource_id: textOf(id) })).toBe(1);
  });

  it('is refused when its signature, its header or a claim is not ours', async () => {
    const { token } = (await make({ name: 'k' })).body;
    const [head, payload, signature] = textOf(token).split('.') as [string, string, string];
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const richer = Buffer.from(JSON.stringify({ ...claims, scope: ['api', 'admin'] })).toString('base64url');
    for (const forged of [`${none}.${payload}.`, `${none}.${payload}.${signature}`, `${head}.${richer}.${signature}`]) {
      expect(await me(forged)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    }
    expect((await me(token)).status).toBe(200);
  });
});

describe('the API keys of a company', () => {
  it('are listed newest first, page by page, and by user', async () => {
    const boss = await person('admin');
    const other = await person('viewer', boss.scope.companyId);
    const ids: string[] = [];
    for (const body of [{}, { user_id: other.userId }, {}]) {
      ids.unshift(textOf((await make({ name: 'k', ...body }, boss)).body.id));
    }
    const first = await boss.send('GET', `${KEYS}?size=2`);
    expect(first.body).toMatchObject({ page: 0, size: 2, total: 3, totalCapped: false });
    const rest = await boss.send('GET', `${KEYS}?size=2&cursor=${textOf(first.body.nextCursor)}`);
    const listed = [first, rest].flatMap(({ body }) => (body.items as unknown as { id: string }[]).map(({ id }) => id));
    expect(listed).toEqual(ids);
    const own = await boss.send('GET', `${KEYS}?user_id=${other.userId}`);
    expect(own.body.items).toMatchObject([{ id: ids[1], user_id: other.userId }]);
    expect(await boss.send('GET', `${KEYS}?scope=api`)).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
  });

  it('do not exist for another company', async () => {
    const { id } = (await make({ name: 'k' })).body;
    const stranger = await person('admin');
    for (const method of ['GET', 'DELETE']) {
      expect(await stranger.send(method, `${KEYS}/${textOf(id)}`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
      expect((await stranger.send(method, `${KEYS}/no-id`)).status).toBe(404);
    }
    expect((await keys.findOne({ _id: textOf(id) }))?.revoked_at).toBeNull();
  });
});
