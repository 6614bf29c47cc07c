import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { EXTERNAL_IDENTITIES, USERS, type ExternalIdentityDocument, type UserDocument } from '@weft/records';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Json, type Person } from '../../../../test/api/live-api.js';
import { identityProvider } from '../../../../test/fixtures/identity-provider.js';

const CALLBACK = 'https://weft.test/auth/callback';
const idp = await identityProvider({ redirectUris: [CALLBACK] });
afterAll(() => idp.close());
const { mongo, send, person, signIn } = await liveApi();
const users = mongo.collection<UserDocument>(USERS);
const identities = mongo.collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
const PATH = '/api/v1/auth/identities';

const operator = await person('admin');
await users.updateOne({ _id: operator.userId }, { $set: { operator: true } });
const registered = {
  ...{ name: 'Example ID', issuer: idp.issuer, redirect_uri: CALLBACK },
  ...{ client_id: idp.clientId, client_secret: idp.clientSecret },
};
const provider = textOf((await operator.send('POST', '/api/v1/admin/oauth-providers', { body: registered })).body.id);

async function comeBack(location: unknown, account: string, setCookie: unknown): Promise<Answer> {
  const callback = await idp.walk(String(location), account);
  const cookie = String(setCookie).split(';')[0] ?? '';
  return send('GET', callback.pathname + callback.search, { headers: { cookie } });
}

/** @returns the account at the provider */
async function tie(one: Person): Promise<string> {
  const account = `at-provider-${newId()}`;
  const { headers } = await one.send('GET', `/auth/login/${provider}?link=true`);
  expect((await comeBack(headers.location, account, headers['set-cookie'])).headers.location).toBe('/');
  return account;
}

async function entersBy(account: string): Promise<boolean> {
  const { headers } = await send('GET', `/auth/login/${provider}`);
  const answer = await comeBack(headers.location, account, headers['set-cookie']);
  if (answer.headers.location === '/login?error=no_account') return false;
  expect(String(answer.headers['set-cookie'])).toContain('sid=');
  return true;
}

const items = (answer: Answer): readonly Json[] => answer.body.items as unknown as Json[];
const givePassword = (one: Person) => users.updateOne({ _id: one.userId }, { $set: { password_hash: 'x' } });

describe('the accounts at providers that open a user’s', () => {
  it('are shown to that user, without tokens, and untied by that user alone', async () => {
    const [one, stranger] = [await person('viewer'), await person('admin')];
    await givePassword(one);
    const account = await tie(one);
    expect(await entersBy(account)).toBe(true);
    const listed = await one.send('GET', PATH);
    expect(listed.body).toMatchObject({ total: 1, items: [{ provider_id: provider, issuer: idp.issuer }] });
    expect(Object.keys(items(listed)[0] ?? {}).sort()).toEqual([
      'email',
      'id',
      'issuer',
      'last_login_at',
      'linked_at',
      'provider_id',
    ]);
    const path = `${PATH}/${textOf(items(listed)[0]?.id)}`;
    expect((await one.send('GET', path)).body).toEqual(items(listed)[0]);
    for (const method of ['GET', 'DELETE']) expect((await stranger.send(method, path)).status).toBe(404);
    expect((await stranger.send('GET', PATH)).body.total).toBe(0);
    for (const status of [204, 404]) expect((await one.send('DELETE', path)).status).toBe(status);
    expect(await entersBy(account)).toBe(false);
    const entry = await audit.findOne({ action_type: 'external_identity_unlinked', UserID: one.userId });
    expect(entry).toMatchObject({ company_id: one.scope.companyId, changes: { issuer: { before: idp.issuer } } });
  });

  it('end the user’s other sessions when they are untied', async () => {
    const one = await person('viewer');
    await givePassword(one);
    await tie(one);
    const other = await signIn(one.userId, one.scope.companyId);
    const [identity] = items(await one.send('GET', PATH));
    expect((await one.send('DELETE', `${PATH}/${textOf(identity?.id)}`)).status).toBe(204);
    expect((await send('GET', '/api/v1/auth/me', { headers: { cookie: other } })).status).toBe(401);
    expect((await one.send('GET', '/api/v1/auth/me')).status).toBe(200);
  });

  it('keep the last one of who has no password, also when two are untied at once', async () => {
    const one = await person('viewer');
    await tie(one);
    await tie(one);
    const ids = items(await one.send('GET', PATH)).map(({ id }) => textOf(id));
    const answers = await Promise.all(ids.map((id) => one.send('DELETE', `${PATH}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
    expect(await identities.countDocuments({ user_id: one.userId })).toBe(1);
  });
});

describe('a password reset by an admin', () => {
  const reset = (by: Person, one: Person, body?: object) =>
    by.send('POST', `/api/v1/users/${one.userId}/password-reset`, { body });

  it('names what opens the account besides, and ends it where that is asked for', async () => {
    const boss = await person('admin');
    const one = await person('admin', boss.scope.companyId);
    const account = await tie(one);
    const { id, token } = (await one.send('POST', '/api/v1/admin/api-keys', { body: { name: 'night' } })).body;
    const byKey = async () =>
      (await send('GET', '/api/v1/auth/me', { headers: { authorization: `Bearer ${textOf(token)}` } })).status;

    const first = await reset(boss, one);
    expect(first).toMatchObject({
      status: 201,
      body: { identities: [{ provider_id: provider, issuer: idp.issuer }], api_keys: [{ id, name: 'night' }] },
    });
    expect([await byKey(), await entersBy(account)]).toEqual([200, true]);
    const keys = await reset(boss, one, { revoke_api_keys: true });
    expect(keys.body).toMatchObject({ identities: [{}], api_keys: [] });
    expect(await byKey()).toBe(401);
    const both = await reset(boss, one, { revoke_api_keys: true, end_identities: true });
    expect(both.body).toMatchObject({ identities: [], api_keys: [] });
    expect(await entersBy(account)).toBe(false);
    const entries = await audit.find({ UserID: boss.userId, action_type: { $ne: 'login_succeeded' } }).toArray();
    expect(entries.map(({ action_type }) => action_type).sort()).toEqual([
      'api_key_revoked',
      'external_identity_unlinked',
      'password_reset',
      'password_reset',
      'password_reset',
    ]);
  });

  it('reaches keys and accounts of that user alone', async () => {
    const boss = await person('admin');
    const [one, other] = [await person('admin', boss.scope.companyId), await person('admin', boss.scope.companyId)];
    const [account, kept] = [await tie(one), await tie(other)];
    await other.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k' } });
    await reset(boss, one, { revoke_api_keys: true, end_identities: true });
    expect([await entersBy(account), await entersBy(kept)]).toEqual([false, true]);
    const [key] = items(await boss.send('GET', `/api/v1/admin/api-keys?user_id=${other.userId}`));
    expect(key).toMatchObject({ revoked_at: null });
  });
});
