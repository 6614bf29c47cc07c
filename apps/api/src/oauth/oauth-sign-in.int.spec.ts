import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import {
  EXTERNAL_IDENTITIES,
  OAUTH_LOGINS,
  USERS,
  type ExternalIdentityDocument,
  type OAuthLoginDocument,
  type UserDocument,
} from '@weft/records';
import { TEST_ADMIN } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Send } from '../../../../test/api/live-api.js';
import { identityProvider } from '../../../../test/fixtures/identity-provider.js';

const CALLBACK = 'https://weft.test/auth/callback';
const OTHER_CALLBACK = 'https://weft.test/auth/callback/';
const idp = await identityProvider({ redirectUris: [CALLBACK, OTHER_CALLBACK] });
afterAll(() => idp.close());
const { mongo, send, person } = await liveApi({ TRUST_PROXY: '127.0.0.1/32' });
const users = mongo.collection<UserDocument>(USERS);
const identities = mongo.collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES);
const ways = mongo.collection<OAuthLoginDocument>(OAUTH_LOGINS);
const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);

const operator = await person('admin');
await users.updateOne({ _id: operator.userId }, { $set: { operator: true } });
const provider = async (more: object): Promise<string> => {
  const body = {
    name: 'Example ID',
    issuer: idp.issuer,
    client_id: idp.clientId,
    client_secret: idp.clientSecret,
    redirect_uri: CALLBACK,
    ...more,
  };
  return textOf((await operator.send('POST', '/api/v1/admin/oauth-providers', { body })).body.id);
};
const closed = await provider({ name: 'Closed ID' });
const open = await provider({
  auto_create_users: true,
  auto_assign_company: operator.scope.companyId,
  auto_assign_role: 'viewer',
});

const invite = (email: string): Promise<Answer> => {
  const roles = [{ company_id: operator.scope.companyId, role: 'viewer' }];
  return operator.send('POST', '/api/v1/users', { body: { email, roles } });
};
await invite('member@example.org');

/** A browser that sets out: where it is sent, and the cookie that it was given. */
async function setOut(id: string, query = '', headers: Record<string, string> = {}) {
  const answer = await send('GET', `/auth/login/${id}${query}`, { headers });
  const cookie = String(answer.headers['set-cookie']);
  return { answer, url: String(answer.headers.location), cookie: cookie.split(';')[0] ?? '', attributes: cookie };
}

const land = (callback: URL, headers: Send['headers']): Promise<Answer> =>
  send('GET', callback.pathname + callback.search, { headers });

/** The whole way there and back. */
async function signIn(id: string, login: string | null, query = ''): Promise<Answer> {
  const { url, cookie } = await setOut(id, query);
  return land(await idp.walk(url, login), { cookie });
}

const sidOf = (answer: Answer): string | undefined =>
  [answer.headers['set-cookie'] ?? []]
    .flat()
    .map(String)
    .find((each) => each.startsWith('sid='))
    ?.split(';')[0];
const me = (sid: string | undefined): Promise<Answer> =>
  send('GET', '/api/v1/auth/me', { headers: { cookie: sid ?? '' } });
const refused = (code: string) => ({ status: 302, headers: { location: `/login?error=${code}` } });

describe('setting out for a provider', () => {
  it('is offered to everybody', async () => {
    const { body } = await send('GET', '/api/auth/providers');
    expect(body).toMatchObject({
      items: [
        { id: closed, name: 'Closed ID', login_url: `/auth/login/${closed}` },
        { id: open, name: 'Example ID', login_url: `/auth/login/${open}` },
      ],
    });
  });

  it('asks for a code with PKCE, state and nonce, and binds the browser', async () => {
    const { answer, url, attributes } = await setOut(open, '?returnTo=/flows');
    expect(answer.status).toBe(302);
    expect(url.startsWith(`${idp.issuer}/auth?`)).toBe(true);
    const query = Object.fromEntries(new URL(url).searchParams);
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: idp.clientId,
      redirect_uri: CALLBACK,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query[name]).toMatch(/^[\w-]{43}$/);
    expect(attributes).toMatch(/^weft_oauth_[\w-]{12}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    const stored = JSON.stringify(await ways.find().toArray());
    expect(stored).not.toContain(query.state);
    expect(stored).not.toContain(attributes.slice(24, 67));
  });

  it('goes back to this site only', async () => {
    for (const to of ['//evil.example', 'https://evil.example/', '/\\evil.example']) {
      const { answer } = await setOut(open, `?returnTo=${encodeURIComponent(to)}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
    }
  });

  it('needs a provider that is there, and one that works', async () => {
    expect((await setOut(newId())).answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const dead = await provider({ issuer: 'http://127.0.0.1:9' });
    expect((await setOut(dead)).answer).toMatchObject(refused('provider_unavailable'));
    const inside = await provider({ issuer: 'https://169.254.169.254' });
    expect((await setOut(inside)).answer).toMatchObject(refused('provider_unavailable'));
    for (const id of [dead, inside]) await operator.send('DELETE', `/api/v1/admin/oauth-providers/${id}`);
  });
});

describe('coming back', () => {
  it('makes the user in the default company and role, and signs in', async () => {
    idp.accounts.set('ada', { email: 'Ada@example.org', email_verified: true, name: 'Ada' });
    const answer = await signIn(open, 'ada', '?returnTo=/flows?page=2');
    expect(answer).toMatchObject({ status: 302, headers: { location: '/flows?page=2' } });
    expect(String(answer.headers['set-cookie'])).toMatch(/weft_oauth_[\w-]{12}=; Max-Age=0/);
    expect(await me(sidOf(answer))).toMatchObject({
      status: 200,
      body: {
        user: { email: 'Ada@example.org', name: 'Ada', state: 'active', operator: false },
        company_id: operator.scope.companyId,
        roles: ['viewer'],
      },
    });
    const [identity] = await identities.find({ subject: 'ada' }).toArray();
    expect(identity).toMatchObject({ issuer: idp.issuer, email: 'Ada@example.org', RefreshToken: null });
    expect(identity?.AccessToken).toMatch(/^v1\./);
    const actions = await audit.find({ UserID: identity?.user_id }).sort({ _id: 1 }).toArray();
    expect(actions.map(({ action_type }) => action_type)).toEqual(['user_created', 'login_succeeded']);
    expect(actions[1]?.changes).toEqual({ method: { before: null, after: 'oauth' } });
  });

  it('finds the same user again by issuer and subject, whatever the e-mail says by then', async () => {
    idp.accounts.set('ada', { email: TEST_ADMIN.email, email_verified: true, name: 'Ada' });
    const { body } = await me(sidOf(await signIn(closed, 'ada')));
    expect(body).toMatchObject({ user: { email: 'Ada@example.org' } });
    expect(await identities.countDocuments({ subject: 'ada' })).toBe(1);
  });

  it('ends the session that the browser had before, and counts', async () => {
    const before = sidOf(await signIn(open, 'ada'));
    const { url, cookie } = await setOut(open);
    const after = sidOf(await land(await idp.walk(url, 'ada'), { cookie: `${cookie}; ${before}` }));
    expect([(await me(before)).status, (await me(after)).status]).toEqual([401, 200]);
    const metrics = textOf((await send('GET', '/metrics')).body);
    expect(metrics).toMatch(/^weft_auth_attempts_total\{method="oauth",status="success"\} [3-9]$/m);
  });

  it('gives who belongs to no company any more the provider’s default one, and records that', async () => {
    idp.accounts.set('stray', { email: 'stray@example.org', email_verified: true });
    await signIn(open, 'stray');
    const { user_id } = (await identities.findOne({ subject: 'stray' })) as ExternalIdentityDocument;
    await users.updateOne({ _id: user_id }, { $set: { company_roles: [] } });
    const { body } = await me(sidOf(await signIn(open, 'stray')));
    expect(body).toMatchObject({ company_id: operator.scope.companyId, roles: ['viewer'] });
    const [entry] = await audit.find({ UserID: user_id, action_type: 'company_assigned' }).toArray();
    expect(entry).toMatchObject({ company_id: operator.scope.companyId, changes: { role: { after: 'viewer' } } });
  });

  it('makes one user of two first sign-ins at once', async () => {
    idp.accounts.set('twin', { email: 'twin@example.org', email_verified: true });
    const answers = await Promise.all([signIn(open, 'twin'), signIn(open, 'twin')]);
    const ids = await Promise.all(answers.map(async (answer) => (await me(sidOf(answer))).body.user?.id));
    expect(ids[0]).toEqual(expect.any(String));
    expect(new Set(ids).size).toBe(1);
  });

  it('refuses a state that is missing, foreign, repeated or used', async () => {
    const { url, cookie } = await setOut(open);
    const callback = await idp.walk(url, 'ada');
    const without = new URL(callback);
    without.searchParams.delete('state');
    const twice = new URL(callback);
    twice.searchParams.append('state', 'x');
    const other = await setOut(open);
    expect(await land(without, { cookie })).toMatchObject(refused('invalid_state'));
    expect(await land(twice, { cookie })).toMatchObject(refused('invalid_state'));
    expect(await land(callback, {})).toMatchObject(refused('invalid_state'));
    expect(await land(callback, { cookie: other.cookie })).toMatchObject(refused('invalid_state'));
    const forged = `${cookie.split('=')[0]}=${other.cookie.split('=')[1]}`;
    expect(await land(callback, { cookie: forged })).toMatchObject(refused('invalid_state'));
    // strangers write no audit entry
    expect(await audit.countDocuments({ reason: 'invalid_state' })).toBe(0);
    // none of that took the way from the browser that it belongs to
    expect(sidOf(await land(callback, { cookie }))).toBeDefined();
    const replayed = await land(callback, { cookie });
    expect(replayed).toMatchObject(refused('invalid_state'));
    expect(sidOf(replayed)).toBeUndefined();
  });

  it('refuses a way that took too long', async () => {
    const { url, cookie } = await setOut(open);
    const callback = await idp.walk(url, 'ada');
    await ways.updateMany({}, { $set: { expires_at: new Date(mongo.serverNow() - 1) } });
    expect(await land(callback, { cookie })).toMatchObject(refused('invalid_state'));
  });

  it('takes a code once, and only with the state that it was given for', async () => {
    const [mine, theirs] = [await setOut(open), await setOut(open)];
    const [callback, stolen] = [await idp.walk(mine.url, 'ada'), await idp.walk(theirs.url, 'mallory')];
    const withCode = (of: URL): URL => {
      callback.searchParams.set('code', of.searchParams.get('code') ?? '');
      return callback;
    };
    expect(await land(withCode(stolen), { cookie: mine.cookie })).toMatchObject(refused('invalid_response'));
    const first = await setOut(open);
    const used = await idp.walk(first.url, 'ada');
    expect(sidOf(await land(used, { cookie: first.cookie }))).toBeDefined();
    const again = await setOut(open);
    callback.searchParams.set('state', new URL(again.url).searchParams.get('state') ?? '');
    expect(await land(withCode(used), { cookie: again.cookie })).toMatchObject(refused('invalid_response'));
  });

  it('refuses an answer that names another issuer, or none of a provider that names itself', async () => {
    for (const iss of ['https://evil.example', null]) {
      const { url, cookie } = await setOut(open);
      const callback = await idp.walk(url, 'ada');
      if (iss === null) callback.searchParams.delete('iss');
      else callback.searchParams.set('iss', iss);
      expect(await land(callback, { cookie })).toMatchObject(refused('invalid_response'));
    }
  });

  it('refuses an ID token that is not signed with a key of its provider', async () => {
    const other = await identityProvider({ redirectUris: [CALLBACK] });
    try {
      const its = { issuer: other.issuer, client_id: other.clientId, client_secret: other.clientSecret };
      const id = await provider(its);
      other.publishOtherKeys();
      const { url, cookie } = await setOut(id);
      expect(await land(await other.walk(url, 'eve'), { cookie })).toMatchObject(refused('invalid_response'));
      await operator.send('DELETE', `/api/v1/admin/oauth-providers/${id}`);
    } finally {
      await other.close();
    }
  });

  it('shows a code to no issuer but the one that the browser was sent to', async () => {
    const { url, cookie } = await setOut(open);
    const callback = await idp.walk(url, 'ada');
    const tokensAsked = () => idp.asked.filter((path) => path === 'POST /token').length;
    const before = tokensAsked();
    const path = `/api/v1/admin/oauth-providers/${open}`;
    const elsewhere = { issuer: idp.issuer.replace('localhost', '127.0.0.1'), client_secret: idp.clientSecret };
    expect((await operator.send('PATCH', path, { body: elsewhere })).status).toBe(200);
    expect(await land(callback, { cookie })).toMatchObject(refused('unknown_provider'));
    await operator.send('PATCH', path, { body: { issuer: idp.issuer, client_secret: idp.clientSecret } });
    expect(tokensAsked()).toBe(before);
  });

  it('exchanges the code with the redirect address that it was asked for with, letter by letter', async () => {
    const path = `/api/v1/admin/oauth-providers/${open}`;
    const first = await setOut(open);
    const callback = await idp.walk(first.url, 'ada');
    await operator.send('PATCH', path, { body: { redirect_uri: OTHER_CALLBACK } });
    expect(sidOf(await land(callback, { cookie: first.cookie }))).toBeDefined();
    const second = await setOut(open);
    const returned = await idp.walk(second.url, 'ada');
    expect(returned.pathname).toBe('/auth/callback/');
    returned.pathname = '/auth/callback';
    expect(sidOf(await land(returned, { cookie: second.cookie }))).toBeDefined();
    await operator.send('PATCH', path, { body: { redirect_uri: 'https://weft.test/elsewhere' } });
    const third = await setOut(open);
    await expect(idp.walk(third.url, 'ada')).rejects.toThrow(/redirect_uri/);
    await operator.send('PATCH', path, { body: { redirect_uri: CALLBACK } });
  });

  it.each([
    ['email_unverified', 'the provider did not verify', { email: 'new@example.org', email_verified: false }],
    ['email_unverified', 'the provider is silent about', { email: 'new@example.org' }],
    ['email_unverified', 'of a user, unverified', { email: TEST_ADMIN.email, email_verified: false }],
    ['email_missing', 'is not there', {}],
    ['email_missing', 'nobody can read as it is', { email: 'ne\u200bw@example.org', email_verified: true }],
    ['account_exists', 'a user of the company has', { email: 'Member@example.org', email_verified: true }],
  ])('refuses with %s an e-mail that %s', async (code, what, account) => {
    idp.accounts.set(what, account);
    const answer = await signIn(open, what);
    expect(answer).toMatchObject(refused(code));
    expect(sidOf(answer)).toBeUndefined();
    expect(await identities.countDocuments({ subject: what })).toBe(0);
    expect(await users.countDocuments({ email: 'new@example.org' })).toBe(0);
  });

  it('is not kept from it by an account of the address in another company, which does not hear of it', async () => {
    const neighbour = await person('admin');
    const email = 'cfo@example.org';
    const roles = [{ company_id: neighbour.scope.companyId, role: 'admin' }];
    const squatter = await neighbour.send('POST', '/api/v1/users', { body: { email, roles } });
    idp.accounts.set('cfo', { email, email_verified: true });
    const { body } = await me(sidOf(await signIn(open, 'cfo')));
    expect(body).toMatchObject({ company_id: operator.scope.companyId, roles: ['viewer'] });
    expect(body.companies).toHaveLength(1);
    expect(textOf(body.user?.id)).not.toBe(textOf(squatter.body.id));
    const heard = { company_id: neighbour.scope.companyId, action_type: /^(login_failed|external)/ };
    expect(await audit.countDocuments(heard)).toBe(0);
  });

  it('makes no user where that is not wanted, and none without a company', async () => {
    idp.accounts.set('eve', { email: 'eve@example.org', email_verified: true });
    expect(await signIn(closed, 'eve')).toMatchObject(refused('no_account'));
    const homeless = await provider({ auto_create_users: true });
    expect(await signIn(homeless, 'eve')).toMatchObject(refused('no_company'));
    expect(await users.countDocuments({ email: 'eve@example.org' })).toBe(0);
    await operator.send('DELETE', `/api/v1/admin/oauth-providers/${homeless}`);
  });

  it('opens nothing to a deactivated user, nor to who said no', async () => {
    await users.updateOne({ email: 'twin@example.org' }, { $set: { 'company_roles.0.deactivated': true } });
    expect(await signIn(open, 'twin')).toMatchObject(refused('user_deactivated'));
    expect(await signIn(open, null)).toMatchObject(refused('access_denied'));
    const reasons = await audit.find({ action_type: 'login_failed' }).sort({ _id: -1 }).limit(2).toArray();
    expect(reasons.map(({ reason, UserEmail, outcome }) => [reason, UserEmail, outcome])).toEqual([
      ['access_denied', null, 'failure'],
      ['user_deactivated', 'twin@example.org', 'failure'],
    ]);
  });

  it('takes who was removed for somebody new', async () => {
    idp.accounts.set('mia', { email: 'mia@example.org', email_verified: true });
    const idOf = async () => textOf((await me(sidOf(await signIn(open, 'mia')))).body.user?.id);
    const first = await idOf();
    expect((await operator.send('DELETE', `/api/v1/users/${first}`)).status).toBe(204);
    expect(await identities.countDocuments({ user_id: first })).toBe(0);
    expect(await signIn(closed, 'mia')).toMatchObject(refused('no_account'));
    expect(await idOf()).not.toBe(first);
  });

  it('gives who belongs to no company the default one', async () => {
    await users.updateOne({ email: 'Ada@example.org' }, { $set: { company_roles: [] } });
    expect(await signIn(closed, 'ada')).toMatchObject(refused('no_company'));
    expect((await me(sidOf(await signIn(open, 'ada')))).body).toMatchObject({ roles: ['viewer'] });
  });

  it('is told where the default company has another account of the address', async () => {
    idp.accounts.set('lost', { email: 'lost@example.org', email_verified: true });
    await signIn(open, 'lost');
    await users.updateOne({ email: 'lost@example.org' }, { $set: { company_roles: [] } });
    await invite('lost@example.org');
    expect(await signIn(open, 'lost')).toMatchObject(refused('account_exists'));
  });

  it('goes on by a page of its own in a browser that another site sent', async () => {
    const { url, cookie } = await setOut(
      open,
      `?returnTo=${encodeURIComponent('/flows?q=\'&x="<b>')}`.replace(/%3C.*/, ''),
    );
    const answer = await land(await idp.walk(url, 'ada'), { cookie, 'sec-fetch-site': 'cross-site' });
    expect(answer.status).toBe(200);
    expect(textOf(answer.body)).toContain(`content="0; url=/flows?q=&#39;&#38;x=&#34;"`);
    expect(answer.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    expect(String(answer.headers['content-security-policy'])).toContain("default-src 'none'");
    expect((await me(sidOf(answer))).status).toBe(200);
  });
});

describe('tying an account to a user who is there', () => {
  it('is what a signed-in user asks for, and opens that user from then on', async () => {
    idp.accounts.set('grace', { email: TEST_ADMIN.email, email_verified: true });
    const grace = await person('flow_editor');
    const started = await grace.send('GET', `/auth/login/${closed}?link=true&returnTo=/profile`);
    const cookie = String(started.headers['set-cookie']).split(';')[0] ?? '';
    // as from another site: the session cookie is not with it
    const answer = await land(await idp.walk(String(started.headers.location), 'grace'), { cookie });
    expect(answer).toMatchObject({ status: 302, headers: { location: '/profile' } });
    expect(sidOf(answer)).toBeUndefined();
    expect((await me(sidOf(await signIn(closed, 'grace')))).body).toMatchObject({ user: { id: grace.userId } });
    expect(await audit.countDocuments({ action_type: 'external_identity_linked', UserID: grace.userId })).toBe(1);
  });

  it('ends with the session that set out', async () => {
    const judy = await person('viewer');
    const started = await judy.send('GET', `/auth/login/${closed}?link=true&returnTo=/profile`);
    expect((await judy.send('POST', '/api/v1/auth/logout')).status).toBeLessThan(300);
    const cookie = String(started.headers['set-cookie']).split(';')[0] ?? '';
    const answer = await land(await idp.walk(String(started.headers.location), 'judy'), { cookie });
    expect(answer).toMatchObject({ status: 302, headers: { location: '/profile?error=denied' } });
    expect(await identities.countDocuments({ user_id: judy.userId })).toBe(0);
  });

  it('does not take an account away from another user', async () => {
    const heidi = await person('viewer');
    const started = await heidi.send('GET', `/auth/login/${closed}?link=true&returnTo=/profile?tab=1`);
    const cookie = String(started.headers['set-cookie']).split(';')[0] ?? '';
    const answer = await land(await idp.walk(String(started.headers.location), 'grace'), { cookie });
    expect(answer).toMatchObject({ status: 302, headers: { location: '/profile?tab=1&error=account_taken' } });
  });

  it('needs a session, and a page of this site', async () => {
    expect((await send('GET', `/auth/login/${closed}?link=true`)).body).toMatchObject({ code: 'unauthenticated' });
    const ivan = await person('viewer');
    const headers = { 'sec-fetch-site': 'cross-site' };
    const answer = await ivan.send('GET', `/auth/login/${closed}?link=true`, { headers });
    expect(answer).toMatchObject({ status: 403, body: { code: 'cross_site' } });
  });
});

describe('a stranger who does not stop setting out', () => {
  it('writes so many records a minute, and closes nobody else out', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    // by their ids, because MongoDB deletes expired ones at any time
    const before = await ways.distinct('_id');
    const answers = await Promise.all(Array.from({ length: 110 }, () => setOut(open, '', from('192.0.2.1'))));
    const last = answers.filter(({ answer }) => answer.status === 429);
    expect(last).toHaveLength(10);
    expect(last[0]?.answer.body).toMatchObject({ code: 'too_many_attempts' });
    expect(Number(last[0]?.answer.headers['retry-after'])).toBeGreaterThan(0);
    const written = (await ways.distinct('_id')).filter((id) => !before.includes(id));
    expect(written).toHaveLength(100);
    expect((await setOut(open, '', from('192.0.2.2'))).answer.status).toBe(302);
  });
});
