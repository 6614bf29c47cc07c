import { AUDIT_LOGS, DESTINATIONS, type AuditDocument } from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const viewer = await person('viewer', editor.scope.companyId);
const stranger = await person('admin');
const ALL = '/api/v1/destinations';
const of = (address: string) => `${ALL}/${encodeURIComponent(address)}`;
const limit = (address: string, rate_limit: unknown, by: Person = editor) =>
  by.send('PATCH', of(address), { body: { rate_limit } });
const FIFTY = { limit: 50, per: 'second' };

describe('a destination', () => {
  it('is limited whether it is known or not, and forgotten when nothing is said of it any more', async () => {
    const saved = await limit('api.example.com:443', FIFTY);
    const shown = { id: 'api.example.com:443', state: 'up', rate_limit: FIFTY, parked: 0, nextProbe: null };
    expect(saved).toMatchObject({ status: 200, body: shown });
    expect((await editor.send('GET', of('api.example.com:443'))).body).toEqual(saved.body);
    expect((await limit('[::1]:8080', { limit: 1, per: 'hour' })).status).toBe(200);
    const first = (await editor.send('GET', `${ALL}?size=1`)).body;
    expect(first).toMatchObject({ total: 2, items: [{ id: 'api.example.com:443' }] });
    const rest = await editor.send('GET', `${ALL}?size=1&cursor=${textOf(first.nextCursor)}`);
    expect(rest.body).toMatchObject({ nextCursor: null, items: [{ id: '[::1]:8080' }] });
    expect((await limit('[::1]:8080', null)).body).toMatchObject({ state: 'up', rate_limit: null });
    expect((await editor.send('GET', of('[::1]:8080'))).body).toMatchObject({ status: 404, code: 'not_found' });
    expect((await limit('never.example.com:1', null)).status).toBe(200);
    expect(await mongo.collection(DESTINATIONS).countDocuments({ company_id: editor.scope.companyId })).toBe(1);
  });

  it.each([
    ['no port', 'example.com', FIFTY, 404, 'not_found'],
    ['an address with a path', 'example.com:443/x', FIFTY, 404, 'not_found'],
    ['capitals, which no call has', 'Example.com:443', FIFTY, 404, 'not_found'],
    ['a port with a zero in front', 'example.com:0443', FIFTY, 404, 'not_found'],
    ['a port that there is not', 'example.com:99999', FIFTY, 404, 'not_found'],
    ['an address of IP in another form', '127.1:80', FIFTY, 404, 'not_found'],
    ['a host with a dot at its end', 'example.com.:443', FIFTY, 404, 'not_found'],
    ['no call at all', 'example.com:443', { limit: 0, per: 'second' }, 400, 'invalid_body'],
    ['another period', 'example.com:443', { limit: 1, per: 'day' }, 400, 'invalid_body'],
    ['a field that it does not know', 'example.com:443', { limit: 1, per: 'hour', burst: 2 }, 400, 'unknown_field'],
  ])('refuses %s', async (_what, address, rate, status, code) => {
    expect((await limit(address, rate)).body).toMatchObject({ status, code });
  });

  it('is never that of another company, and no matter of viewers', async () => {
    await limit('ours.example.com:443', FIFTY);
    expect((await stranger.send('GET', of('ours.example.com:443'))).status).toBe(404);
    expect((await stranger.send('GET', ALL)).body).toMatchObject({ total: 0 });
    expect((await limit('ours.example.com:443', { limit: 1, per: 'hour' }, stranger)).status).toBe(200);
    expect((await editor.send('GET', of('ours.example.com:443'))).body.rate_limit).toEqual(FIFTY);
    expect((await viewer.send('GET', ALL)).status).toBe(403);
    expect((await limit('ours.example.com:443', null, viewer)).status).toBe(403);
    const foreign = Buffer.from(`${stranger.scope.companyId} a.1`).toString('base64url');
    expect((await editor.send('GET', `${ALL}?cursor=${foreign}`)).status).toBe(400);
  });

  it('is changed with an audit entry, by one of several at once', async () => {
    const address = 'many.example.com:443';
    await limit(address, FIFTY);
    const answers = await Promise.all([1, 2, 3].map((n) => limit(address, { limit: n, per: 'minute' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const entries = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ action_type: 'destination_updated', resource_id: address })
      .toArray();
    expect(entries).toHaveLength(4);
    expect(entries[0]?.changes).toMatchObject({ rate_limit: { before: null } });
  });
});

it('a link has a rate limit, which nobody needs its token to change', async () => {
  const admin = await person('admin', editor.scope.companyId);
  const made = await admin.send('POST', '/api/v1/integrations', {
    body: { type: 'crm', name: 'CRM', access_token: 'secret', rate_limit: FIFTY },
  });
  expect(made).toMatchObject({ status: 201, body: { RateLimit: FIFTY } });
  const path = `/api/v1/integrations/${textOf(made.body.id)}`;
  const rate_limit = { limit: 1, per: 'minute' };
  expect((await admin.send('PATCH', path, { body: { rate_limit } })).body).toMatchObject({ RateLimit: rate_limit });
  expect((await admin.send('PATCH', path, { body: { name: 'C' } })).body).toMatchObject({ RateLimit: rate_limit });
  expect((await admin.send('PATCH', path, { body: { rate_limit: null } })).body).toMatchObject({ RateLimit: null });
});
