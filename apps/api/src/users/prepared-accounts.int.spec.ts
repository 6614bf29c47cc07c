import type { Role } from '@weft/access';
import { PasswordHasher } from '@weft/identity';
import type { WeftError } from '@weft/kernel';
import { UserRepository, USERS, type UserDocument } from '@weft/records';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';
import { ChosenPasswords } from '../auth/chosen-passwords.js';
import { identityProvider } from '../../../../test/fixtures/identity-provider.js';

const CALLBACK = 'https://weft.test/auth/callback';
const idp = await identityProvider({ redirectUris: [CALLBACK] });
afterAll(() => idp.close());
const { mongo, send, person } = await liveApi();
const users = mongo.collection<UserDocument>(USERS);

const operator = await person('admin');
await users.updateOne({ _id: operator.userId }, { $set: { operator: true } });
const providerBody = {
  name: 'Example ID',
  issuer: idp.issuer,
  client_id: idp.clientId,
  client_secret: idp.clientSecret,
  redirect_uri: CALLBACK,
};
const provider = textOf((await operator.send('POST', '/api/v1/admin/oauth-providers', { body: providerBody })).body.id);

const PATH = '/api/v1/users';
const OWN = 'seven grey herons';
const PREPARED = 'eight brown bears';

let [acme, mallory, email] = [operator, operator, ''];
beforeEach(async () => {
  [acme, mallory] = await Promise.all([person('admin'), person('admin')]);
  email = `cfo-${newId()}@acme.test`;
});

const add = (by: Person, role: Role = 'admin', more: object = {}): Promise<Answer> =>
  by.send('POST', PATH, { body: { email, roles: [{ company_id: by.scope.companyId, role }], ...more } });
const login = (password: string): Promise<Answer> => send('POST', '/api/v1/auth/login', { body: { email, password } });
const cookieOf = (answer: Answer): string =>
  [answer.headers['set-cookie'] ?? []]
    .flat()
    .map(String)
    .find((each) => each.startsWith('sid='))
    ?.split(';')[0] ?? '';
const by = (cookie: string, method: string, path: string, body?: object): Promise<Answer> =>
  send(method, path, { body, headers: { cookie } });
const switchTo = (cookie: string, company: Person): Promise<Answer> =>
  by(cookie, 'POST', '/api/v1/auth/switch-company', { company_id: company.scope.companyId });
const accept = (made: Answer, password: string): Promise<Answer> => {
  const url = new URL(textOf(made.body.invite_url ?? made.body.reset_url));
  return send('POST', '/api/v1/auth/password/accept', { body: { token: url.searchParams.get('token'), password } });
};
const companiesOf = (answer: Answer): string[] =>
  (answer.body.companies as unknown as { company_id: string }[]).map(({ company_id }) => company_id);
const only = (company: Person): string[] => [company.scope.companyId];

/** The whole way to the provider and back, signed in with a cookie where an account is tied. */
async function atProvider(account: string, cookie = ''): Promise<Answer> {
  const query = cookie === '' ? '' : '?link=true&returnTo=/profile';
  const started = await send('GET', `/auth/login/${provider}${query}`, { headers: { cookie } });
  const binding = String(started.headers['set-cookie']).split(';')[0] ?? '';
  const callback = await idp.walk(String(started.headers.location), account);
  return send('GET', callback.pathname + callback.search, { headers: { cookie: binding } });
}

describe('an account that another company’s admin prepared', () => {
  it('does not act in a company that invites its address: not with the password, not with a session', async () => {
    await add(mallory, 'none', { password: PREPARED });
    const session = cookieOf(await login(PREPARED));
    const invited = await add(acme);
    expect(invited).toMatchObject({ status: 201, body: { state: 'invited' } });
    for (const moment of ['before', 'after']) {
      const prepared = await login(PREPARED);
      expect(companiesOf(prepared), moment).toEqual(only(mallory));
      for (const cookie of [session, cookieOf(prepared)]) {
        expect(await switchTo(cookie, acme), moment).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
      if (moment === 'before') expect((await accept(invited, OWN)).status).toBe(204);
    }
    const holder = await login(OWN);
    expect(holder).toMatchObject({ status: 200, body: { company_id: acme.scope.companyId, roles: ['admin'] } });
    expect(companiesOf(holder)).toEqual(only(acme));
  });

  it('does not get in by links that were kept', async () => {
    const invitedThere = await add(mallory, 'none');
    const here = await add(acme);
    expect((await accept(here, OWN)).status).toBe(204);
    expect((await accept(invitedThere, PREPARED)).status).toBe(204);
    expect(companiesOf(await login(PREPARED))).toEqual(only(mallory));
    const reset = await mallory.send('POST', `${PATH}/${textOf(invitedThere.body.id)}/password-reset`);
    expect((await accept(reset, 'nine white swans')).status).toBe(204);
    expect(companiesOf(await login('nine white swans'))).toEqual(only(mallory));
    expect(companiesOf(await login(OWN))).toEqual(only(acme));
  });

  it('does not get in by an account at a provider, nor by keys', async () => {
    await add(mallory, 'admin', { password: PREPARED });
    const session = cookieOf(await login(PREPARED));
    const login_ = `mallory-${newId()}`;
    expect((await atProvider(login_, session)).headers.location).toBe('/profile');
    const { token } = (await by(session, 'POST', '/api/v1/admin/api-keys', { name: 'k', scope: 'api,admin' })).body;
    expect((await accept(await add(acme), OWN)).status).toBe(204);
    const back = cookieOf(await atProvider(login_));
    expect(companiesOf(await by(back, 'GET', '/api/v1/auth/me'))).toEqual(only(mallory));
    expect((await switchTo(back, acme)).status).toBe(404);
    const headers = { authorization: `Bearer ${textOf(token)}` };
    expect((await send('GET', '/api/v1/auth/me', { headers })).body.company_id).toBe(mallory.scope.companyId);
    expect((await send('GET', `${PATH}/${acme.userId}`, { headers })).status).toBe(404);
  });
});

describe('an invitation', () => {
  it('says the same of an address that is known elsewhere as of any other', async () => {
    await add(mallory, 'viewer', { password: PREPARED, name: 'Ada' });
    await login(PREPARED);
    const known = await add(acme, 'viewer');
    email = `nobody-${newId()}@acme.test`;
    const unknown = await add(acme, 'viewer');
    const shown = ({ status, headers, body }: Answer) => ({
      status,
      location: String(headers.location).replace(textOf(body.id), '<id>'),
      body: { ...body, id: 0, email: 0, created_at: 0, invite_url: typeof body.invite_url },
    });
    expect(shown(known)).toEqual(shown(unknown));
    expect(Math.abs(Date.parse(textOf(known.body.created_at)) - Date.now())).toBeLessThan(60_000);
    const state = async (of: Answer) => (await acme.send('GET', `${PATH}/${textOf(of.body.id)}`)).body.state;
    expect(await state(known)).toBe('invited');
  });
});

describe('somebody who holds accounts of one address in two companies', () => {
  /** Each accepted by its own company's link. */
  async function hold(here: string, there: string): Promise<void> {
    const [inAcme, inMallorys] = [await add(acme), await add(mallory, 'viewer')];
    expect([(await accept(inAcme, here)).status, (await accept(inMallorys, there)).status]).toEqual([204, 204]);
  }

  it('acts in both after one sign-in where the password is the same', async () => {
    await hold(OWN, OWN);
    const signedIn = await login(OWN);
    expect(companiesOf(signedIn).sort()).toEqual([...only(acme), ...only(mallory)].sort());
    const first = textOf(signedIn.body.company_id);
    const other = first === acme.scope.companyId ? mallory : acme;
    const moved = await switchTo(cookieOf(signedIn), other);
    expect(moved).toMatchObject({ status: 200, body: { company_id: other.scope.companyId } });
    expect(textOf(moved.body.user?.id)).not.toBe(signedIn.body.user?.id);
    expect((await by(cookieOf(signedIn), 'GET', '/api/v1/auth/me')).status).toBe(401);
    const me = await by(cookieOf(moved), 'GET', '/api/v1/auth/me');
    expect(companiesOf(me).sort()).toEqual(companiesOf(signedIn).sort());
    expect((await by(cookieOf(moved), 'GET', '/api/v1/companies')).body.total).toBe(2);
  });

  it('loses one of them from the same session when its password changes, and keeps the other', async () => {
    await hold(OWN, OWN);
    const cookie = cookieOf(await login(OWN));
    const current = (await by(cookie, 'GET', '/api/v1/auth/me')).body.company_id;
    const [mine, other] = textOf(current) === acme.scope.companyId ? [acme, mallory] : [mallory, acme];
    const account = await users.findOne({ email_key: email, 'company_roles.company_id': other.scope.companyId });
    await other.send('POST', `${PATH}/${account?._id}/password-reset`);
    expect((await switchTo(cookie, other)).status).toBe(404);
    expect(companiesOf(await by(cookie, 'GET', '/api/v1/auth/me'))).toEqual(only(mine));
  });

  it('ends the sessions of both at once', async () => {
    await hold(OWN, OWN);
    const [one, other] = [cookieOf(await login(OWN)), cookieOf(await login(OWN))];
    const here = (await by(one, 'GET', '/api/v1/auth/me')).body.company_id;
    const there = cookieOf(await switchTo(other, textOf(here) === acme.scope.companyId ? mallory : acme));
    expect((await by(one, 'GET', '/api/v1/auth/sessions')).body.total).toBe(2);
    expect((await by(one, 'DELETE', '/api/v1/auth/sessions')).status).toBe(204);
    for (const cookie of [one, there]) expect((await by(cookie, 'GET', '/api/v1/auth/me')).status).toBe(401);
  });

  it('acts in both after a sign-in at a provider that both were tied to, and never by the password of one', async () => {
    await hold(OWN, OWN);
    const account = `ada-${newId()}`;
    const cookie = cookieOf(await login(OWN));
    await atProvider(account, cookie);
    const back = cookieOf(await atProvider(account));
    expect(companiesOf(await by(back, 'GET', '/api/v1/auth/me'))).toHaveLength(1);
    const other =
      textOf((await by(back, 'GET', '/api/v1/auth/me')).body.company_id) === acme.scope.companyId ? mallory : acme;
    expect((await switchTo(back, other)).status).toBe(404);
    const moved = cookieOf(await switchTo(cookie, other));
    expect((await atProvider(account, moved)).headers.location).toBe('/profile');
    const both = await by(cookieOf(await atProvider(account)), 'GET', '/api/v1/auth/me');
    expect(companiesOf(both)).toHaveLength(2);
  });

  it('chooses a secret: a password that an admin gave is taken for no other account', async () => {
    await add(mallory, 'viewer', { password: PREPARED });
    const here = await add(acme);
    expect(await accept(here, PREPARED)).toMatchObject({ status: 422, body: { code: 'weak_password' } });
    const session = cookieOf(await login(PREPARED));
    const passwords = { current_password: PREPARED, new_password: OWN };
    expect((await by(session, 'POST', '/api/v1/auth/password', passwords)).status).toBe(204);
    expect((await accept(here, OWN)).status).toBe(204);
    expect(companiesOf(await login(OWN))).toHaveLength(2);
  });
});

describe('a failed sign-in', () => {
  it('is told alike to each company that has an account of the address, however many there are', async () => {
    const failures = async (boss: Person) => {
      const { items } = (await boss.send('GET', '/api/v1/audit?action=login_failed')).body;
      return (items as unknown as Record<string, unknown>[]).map(({ UserEmail, UserIPAddress, reason, changes }) => {
        return { UserEmail, UserIPAddress, reason, changes };
      });
    };
    const told = { UserEmail: email, UserIPAddress: '127.0.0.1', reason: 'invalid_password', changes: {} };
    await add(mallory, 'viewer', { password: PREPARED });
    await login('not the password');
    expect(await failures(mallory)).toEqual([told]);
    await add(acme, 'viewer');
    await login('not the password');
    expect(await failures(mallory)).toEqual([told, told]);
    expect(await failures(acme)).toEqual([told]);
  });
});

describe('the password of an account', () => {
  it('is not tried out by setting that of another account of the address', async () => {
    const clock = { now: Date.now, monotonicMs: () => 0 };
    const chosen = new ChosenPasswords(new UserRepository(mongo), new PasswordHasher({ cost: 4 }), clock);
    const guess = async (by: Person): Promise<string> => {
      const company_roles = [{ company_id: by.scope.companyId, role: 'viewer', group_ids: [] } as const];
      const hashed = chosen.hash({ email, company_roles }, OWN, 'admin').then(() => 'hashed');
      return hashed.catch((error: WeftError) => error.code);
    };
    for (let n = 0; n < 10; n += 1) expect(await guess(mallory)).toBe('hashed');
    expect(await guess(mallory)).toBe('too_many_attempts');
    // one company does not keep the people of another from choosing theirs
    expect(await guess(acme)).toBe('hashed');
  });

  it('is compared once, however many accounts of the address there are', async () => {
    await add(mallory, 'viewer', { password: PREPARED });
    await accept(await add(acme), OWN);
    const hashes = (await users.find({ email_key: email }).toArray()).map(({ password_hash }) => password_hash);
    expect(new Set(hashes.map((hash) => hash?.slice(0, 29)))).toHaveProperty('size', 1);
    expect(new Set(hashes)).toHaveProperty('size', 2);
  });

  it('opens two accounts also where two first choices at once have no salt in common', async () => {
    const [inAcme, inMallorys] = [await add(acme), await add(mallory, 'viewer')];
    for (const made of [inAcme, inMallorys]) {
      const password_hash = await new PasswordHasher().hash(OWN);
      await users.updateOne({ _id: textOf(made.body.id) }, { $set: { password_hash } });
    }
    const cookie = cookieOf(await login(OWN));
    expect(companiesOf(await by(cookie, 'GET', '/api/v1/auth/me'))).toHaveLength(2);
    expect(await users.distinct('password_hash', { email_key: email })).toHaveLength(1);
  });
});
