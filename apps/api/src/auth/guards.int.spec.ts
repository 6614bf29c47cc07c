import { describe, expect, it } from 'vitest';
import { liveApi, textOf } from '../../../../test/api/live-api.js';

const { app, send, person, signIn } = await liveApi();
const ME = '/api/v1/auth/me';
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('a caller without a credential', () => {
  it('is told to sign in, in a problem', async () => {
    const answer = await send('GET', ME);
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated', status: 401 } });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="weft"');
  });

  it('is sent to the sign-in page when it is a browser, and back afterwards', async () => {
    const answer = await send('GET', '/api/v1/flows?page=1', { headers: BROWSER });
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe('/login?returnTo=%2Fapi%2Fv1%2Fflows%3Fpage%3D1');
    const expired = await send('GET', ME, { headers: { ...BROWSER, cookie: `sid=${'A'.repeat(43)}` } });
    expect(expired).toMatchObject({ status: 302, headers: { location: '/login?returnTo=%2Fapi%2Fv1%2Fauth%2Fme' } });
  });

  it('with a bad token hears so, browser or not', async () => {
    const headers = { ...BROWSER, authorization: 'Bearer x' };
    expect(await send('GET', ME, { headers })).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });

  it('hears 401 before anything about the body', async () => {
    expect((await send('POST', '/api/v1/flows', { body: '{' })).status).toBe(401);
  });

  it('cannot sneak in by spelling a path otherwise', async () => {
    for (const path of ['/api/v1/%61uth/me', '/api/v1/flows', '/api/flows', '/api/v1/admin/%61pi-keys']) {
      expect((await send('GET', path)).status, path).toBe(401);
      expect((await app.inject({ method: 'HEAD', url: path })).statusCode, path).toBe(401);
    }
    for (const path of ['//api/v1/auth/me', '/api/v1/auth/me/', '/API/v1/auth/me', '/api/v1/auth/me;x']) {
      expect((await send('GET', path)).status, path).toBe(404);
    }
  });
});

describe('a credential', () => {
  it('counts where it belongs: no session id as a token, no token as a cookie, while they are in use', async () => {
    const one = await person('admin');
    const cookie = await signIn(one.userId, one.scope.companyId);
    const { token } = (await one.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k' } })).body;
    const asked = async (headers: Record<string, string>) => {
      const answer = await send('GET', ME, { headers });
      return [answer.status, answer.body.code];
    };
    expect(await asked({ cookie })).toEqual([200, undefined]);
    expect(await asked({ authorization: `Bearer ${textOf(token)}` })).toEqual([200, undefined]);
    expect(await asked({ authorization: `Bearer ${cookie.slice(4)}` })).toEqual([401, 'token_invalid']);
    expect(await asked({ cookie: `sid=${textOf(token)}` })).toEqual([401, 'session_expired']);
  });
});

describe('a cookie', () => {
  it('does not speak for a page of another site, where something would change', async () => {
    const one = await person('admin');
    const post = (headers: Record<string, string>) =>
      one.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k' }, headers: { host: 'weft.test', ...headers } });
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      expect(await post(headers), JSON.stringify(headers)).toMatchObject({ status: 403, body: { code: 'cross_site' } });
    }
    const own: Record<string, string>[] = [{}, { origin: 'http://weft.test' }, { 'sec-fetch-site': 'same-origin' }];
    for (const headers of own) {
      expect((await post(headers)).status, JSON.stringify(headers)).toBe(201);
    }
    expect((await one.send('GET', ME, { headers: { origin: 'https://evil.example' } })).status).toBe(200);
  });

  it('gives a request no other method than its own, whatever it says', async () => {
    const one = await person('admin');
    const { id } = (await one.send('POST', '/api/v1/groups', { body: { name: 'g' } })).body;
    const path = `/api/v1/groups/${textOf(id)}`;
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
      expect((await one.send('POST', path, { headers: { [name]: 'DELETE' } })).status, name).toBe(405);
      expect((await one.send('GET', path, { headers: { [name]: 'DELETE' } })).status, name).toBe(200);
    }
    expect((await one.send('GET', `${path}?_method=DELETE`)).body).toMatchObject({ id });
    expect((await one.send('GET', path)).status).toBe(200);
  });

  it('cannot be made to sign out by another site, and no token is held to that rule', async () => {
    const one = await person('admin');
    const evil = { origin: 'https://evil.example' };
    expect((await one.send('POST', '/auth/logout', { headers: evil })).body.code).toBe('cross_site');
    expect((await one.send('GET', ME)).status).toBe(200);
    const { token } = (await one.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k', scope: 'admin' } })).body;
    const headers = { ...evil, authorization: `Bearer ${textOf(token)}` };
    const made = await send('POST', '/api/v1/admin/api-keys', { body: { name: 'k', scope: 'admin' }, headers });
    expect(made.status).toBe(201);
  });

  it('of who may not call a handler hears of the role before the body', async () => {
    const viewer = await person('viewer');
    const answer = await viewer.send('POST', '/api/v1/admin/api-keys', { body: { nonsense: true } });
    expect(answer).toMatchObject({ status: 403, body: { code: 'denied', reason: 'denied' } });
  });
});
