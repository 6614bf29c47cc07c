import { INTEGRATIONS, type IntegrationDocument } from '@weft/records';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { openChromium } from '../fixtures/chromium.js';
import { identityProvider } from '../fixtures/identity-provider.js';
import { sharedFleet } from './harness/fleet.js';

interface Identified {
  readonly id: string;
}

const { admin, ledger, servers, one } = await sharedFleet();
// 127.0.0.1 and localhost are two sites to a browser, as two companies' would be
const callback = `${admin.url}/auth/callback`;
const idp = await identityProvider({ redirectUris: [callback], accessTokenSeconds: 600 });
const browser = await openChromium();
const mongo = await mongoose.mongo.MongoClient.connect(servers.mongodbUri);
const db = mongo.db(servers.mongodbDb);
afterAll(async () => {
  await browser.close();
  await mongo.close();
  await idp.close();
});

const me = await admin.send<{ company_id: string; user: Identified }>('GET', '/api/v1/auth/me');
const provider = await admin.send<Identified>('POST', '/api/v1/admin/oauth-providers', {
  name: 'Example ID',
  issuer: idp.issuer,
  client_id: idp.clientId,
  client_secret: idp.clientSecret,
  redirect_uri: callback,
  auto_create_users: true,
  auto_assign_company: me.body.company_id,
  auto_assign_role: 'viewer',
});

/** A flow of one web request with that link, run to its end. */
async function runWith(integrationId: string) {
  const flow = await admin.createFlow({ name: 'With a link' });
  const args = { url: `${ledger.url}/private`, auth: { integrationId } };
  await admin.addLayer(flow.id, { ref: 'call', appId: 'web-request', args });
  const { playId } = await admin.run(flow.id);
  return { playId, flow };
}

describe('signing in at a provider in a browser', () => {
  it('ends in a session at the page that was asked for', async () => {
    idp.accounts.set('ada', { email: 'ada@example.org', email_verified: true, name: 'Ada' });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${admin.url}/auth/login/${provider.body.id}?returnTo=/api/v1/auth/me`);
    expect(new URL(page.url()).origin).toBe(idp.issuer);
    await page.fill('input[name=login]', 'ada');
    await page.click('button');
    await page.waitForURL(`${admin.url}/api/v1/auth/me`);
    const shown = JSON.parse(await page.innerText('body')) as object;
    expect(shown).toMatchObject({ user: { email: 'ada@example.org' }, roles: ['viewer'], auth: 'session' });
    const cookies = await context.cookies(admin.url);
    expect(cookies.map(({ name, sameSite, httpOnly }) => [name, sameSite, httpOnly])).toEqual([
      ['sid', 'Strict', true],
    ]);
    await context.close();
  });
});

describe('a web request with an integration link', () => {
  it('shows its token to the peer and to nobody else', async () => {
    const token = 'static/token.0123456789';
    const link = await admin.send<Identified>('POST', '/api/v1/integrations', {
      type: 'ledger',
      name: 'Ledger',
      access_token: token,
    });
    ledger.answerWith(({ headers }) => ({ body: { said: headers.authorization } }));
    const { playId } = await runWith(link.body.id);
    await admin.waitForPlay(playId, { state: 'DONE' });
    expect(ledger.callsTo('/private').map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
    const [layer] = await admin.layers(playId);
    expect(layer?.out).toMatchObject({ json: { said: 'Bearer [secret]' } });
    const collections = await db.collections();
    const stored = await Promise.all(collections.map((collection) => collection.find().toArray()));
    expect(JSON.stringify(stored)).toContain('[secret]');
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(one('api').output() + one('worker').output()).not.toContain(token);
  });

  it('uses an account that was connected in a browser, with a token that is refreshed', async () => {
    const context = await browser.newContext();
    const [name = '', value = ''] = admin.credentials.cookie?.split('=') ?? [];
    await context.addCookies([{ name, value, url: admin.url, sameSite: 'Strict' }]);
    const page = await context.newPage();
    await page.goto(`${admin.url}/health`);
    const url = await page.evaluate(async (providerId) => {
      const answer = await fetch('/api/v1/integrations/connect', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ provider: providerId, returnTo: '/api/v1/integrations' }),
      });
      return ((await answer.json()) as { authorize_url: string }).authorize_url;
    }, provider.body.id);
    await page.goto(url);
    await page.fill('input[name=login]', 'ada');
    await page.click('button');
    await page.waitForURL(`${admin.url}/api/v1/integrations`);
    const { items } = JSON.parse(await page.innerText('body')) as {
      items: { id: string; ProviderUserEmail: string }[];
    };
    await context.close();
    expect(items[0]).toMatchObject({ ProviderUserID: 'ada', ProviderUserEmail: 'ada@example.org' });
    const id = items[0]?.id ?? '';
    const works = await admin.send('POST', `/api/v1/integrations/${id}/test`);
    expect(works.body).toMatchObject({ ok: true });

    const links = db.collection<IntegrationDocument>(INTEGRATIONS);
    const before = await links.findOneAndUpdate({ _id: id }, { $set: { RefreshAt: new Date(0) } });
    const { playId } = await runWith(id);
    await admin.waitForPlay(playId, { state: 'DONE' });
    const after = await links.findOne({ _id: id });
    expect(after?.RefreshAt?.getTime()).toBeGreaterThan(Date.now());
    expect(after?.AccessToken).not.toBe(before?.AccessToken);
    const bearer = ledger.callsTo('/private').at(-1)?.headers.authorization;
    expect(bearer).toMatch(/^Bearer [\w-]{20,}/);
    expect(JSON.stringify(after)).not.toContain(bearer?.slice(7));
  });

  it('fails where the company has no such link', async () => {
    const { playId } = await runWith('00000000000000000000');
    const play = await admin.waitForPlay(playId, { state: 'FAIL' });
    expect(play.error).toMatchObject({ code: 'integration_not_found', ref: 'call' });
  });
});
