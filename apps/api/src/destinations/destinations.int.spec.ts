import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
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
    expect((await editor.send('GET', ALL)).body).toMatchObject({ total: 1 });
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

describe('a destination that is paused', () => {
  const act = (address: string, what: 'pause' | 'release', by: Person = editor) =>
    by.send('POST', `${of(address)}/${what}`);

  it('is so whether it was known or not, until it is released', async () => {
    const address = 'paused.example.com:443';
    expect((await act(address, 'release')).body).toMatchObject({ status: 404 });
    expect(await act(address, 'pause')).toMatchObject({ status: 200, body: { id: address, state: 'paused' } });
    expect((await act(address, 'pause')).body).toMatchObject({ state: 'paused', nextProbe: null });
    expect((await editor.send('GET', of(address))).body).toMatchObject({ state: 'paused', failureShare: null });
    // its limit is another matter
    expect((await limit(address, FIFTY)).body).toMatchObject({ state: 'paused', rate_limit: FIFTY });
    expect((await act(address, 'release')).body).toMatchObject({ state: 'recovering', rate_limit: FIFTY });
    const actions = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ resource_id: address }, { sort: { _id: 1 } })
      .toArray();
    expect(actions.map(({ action_type }) => action_type)).toEqual([
      'destination_paused',
      'destination_paused',
      'destination_updated',
      'destination_released',
    ]);
    expect(actions[3]?.changes).toMatchObject({ state: { before: 'paused', after: 'recovering' } });
  });

  it('is that of one company, and no matter of viewers', async () => {
    const address = 'theirs.example.com:443';
    await act(address, 'pause');
    expect((await act(address, 'pause', viewer)).status).toBe(403);
    expect((await act(address, 'release', viewer)).status).toBe(403);
    expect((await act(address, 'release', stranger)).status).toBe(404);
    expect((await act('no address', 'pause')).status).toBe(404);
    expect((await editor.send('GET', of(address))).body).toMatchObject({ state: 'paused' });
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
