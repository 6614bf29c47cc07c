import { ledgerServer, waitFor, type ApiClient, type LedgerCall } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { connectAgent, useTool } from '../api/mcp-agent.js';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany, signedIn } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin, ledger, servers, of } = fleet;
const elsewhere = await ledgerServer();
afterAll(() => elsewhere.close());

const SECRET = 'tenant-key-nobody-sees-51c9';
const RENEWED = 'tenant-key-renewed-8e20';
const KEY = { 'X-Tenant-Key': '7:{{ $link.access_token }}' };

const linkOf = async (fields: object = {}, by: ApiClient = admin) => {
  const link = { type: 'crm', name: 'CRM', endpoint: `${ledger.url}/v1`, kind: 'header', access_token: SECRET };
  const body = { ...link, settings: { header: 'X-Api-Key' }, ...fields };
  return (await by.must<{ id: string }>(201, 'POST', '/api/v1/integrations', body)).id;
};
const link = await linkOf();
const request = (args: object, integrationId = link) => ({
  url: `${ledger.url}/v1/x`,
  auth: { integrationId },
  ...args,
});

async function flowOf(layers: readonly (readonly [ref: string, args: object, more?: object])[]): Promise<string> {
  const { id } = await admin.createFlow();
  for (const [ref, args, more] of layers) {
    await admin.addLayer(id, { ref, appId: 'web-request', args: { ...args }, ...more });
  }
  return id;
}
async function run(flowId: string, args: object = {}) {
  const { playId } = await admin.run(flowId, { args: { ...args } });
  return { play: await admin.waitForPlay(playId), layers: await admin.layers(playId) };
}
/** What the peer was sent is in its answer, in all places. */
const echo = (call: LedgerCall) => ({
  body: { headers: call.headers, path: call.path },
  headers: { 'x-echo': JSON.stringify(call.headers) },
});

describe('a layer that puts a field of its link into headers and the query', () => {
  it('shows it to the peer, in a loop, on pages and in each attempt, and to nobody else', async () => {
    let refusals = 1;
    ledger.answerWith((call) => {
      const { pathname, searchParams } = new URL(call.path, ledger.url);
      const { body, headers } = echo(call);
      if (pathname === '/v1/flaky' && refusals-- > 0) return { status: 503, body, headers };
      if (pathname === '/v1/refused') return { status: 409, body, headers };
      const page = Number(searchParams.get('page') ?? 0);
      const next = `${pathname}?key=${searchParams.get('key')}&page=${page + 1}`;
      return { body: { ...body, next: page < 2 ? next : null }, headers };
    });
    const query = { key: '{{ $link.access_token }}' };
    const url = (path: string) => ({ url: `${ledger.url}/v1/${path}` });
    const retry = { attempts: 3, backoff: 'fixed', delayMs: 10, maxDelayMs: 10 };
    const forEach = { in: '{{ $prev.args.ids }}', concurrency: 3, onItemError: 'collect' };
    const flowId = await flowOf([
      ['plain', request({ headers: KEY, query })],
      ['each', request({ headers: KEY, query: { ...query, id: '{{ $item }}' } }), { forEach }],
      ['pages', request({ headers: KEY, query, paginate: { next: '{{ $page.json.next }}' } })],
      ['flaky', request({ ...url('flaky'), headers: KEY, query }), { retry }],
      ['refused', request({ ...url('refused'), headers: KEY, query }), { onError: 'continue' }],
      ['told', request({ ...url('told'), method: 'POST', body: '{{ $errors.refused }}' })],
    ]);
    const before = ledger.calls.length;
    const { play, layers } = await run(flowId, { ids: [1, 2, '{{ $link.access_token }}'] });
    expect([play.state, layers.map(({ state }) => state)]).toEqual([
      'DONE',
      ['DONE', 'DONE', 'DONE', 'DONE', 'FAIL', 'DONE'],
    ]);
    const calls = ledger.calls.slice(before);
    expect(calls).toHaveLength(1 + 3 + 3 + 2 + 1 + 1);
    for (const { headers, path } of calls.slice(0, -1)) {
      expect(headers).toMatchObject({ 'x-tenant-key': `7:${SECRET}`, 'x-api-key': SECRET });
      expect(new URL(path, ledger.url).searchParams.getAll('key')).toEqual([SECRET]);
    }
    expect(calls.at(-1)?.body).not.toContain(SECRET);
    // what data says stays what data says
    expect(calls.map(({ path }) => new URL(path, ledger.url).searchParams.get('id'))).toContain(
      '{{ $link.access_token }}',
    );
    expect(JSON.stringify(layers[0]?.out)).toContain('7:[secret]');

    const exported = await admin.must<object>(200, 'GET', `/api/v1/flows/${flowId}/export`);
    const read = (path: string, body?: object) => admin.send(body ? 'POST' : 'GET', `/api/v1${path}`, body);
    const { body: dry } = await read(`/flows/${flowId}/dry-run`, { args: { ids: [1] }, fixtures: {} });
    expect(dry).toMatchObject({ missingFixtures: ['plain', 'each', 'pages', 'flaky', 'refused', 'told'] });
    const changed = JSON.parse(JSON.stringify(exported).replaceAll('7:{{', '8:{{')) as object;
    const { body: backtest } = await read(`/flows/${flowId}/backtest`, { document: changed });
    expect(JSON.stringify(backtest)).toContain('8:{{ $link.access_token }}');
    const { token } = await admin.createApiKey({ scope: 'mcp' });
    const agent = await connectAgent(admin.url, token);
    const explained = await useTool(agent, 'explain_play', { playId: play.id });
    expect(explained).toHaveProperty('layers');
    const got = await useTool(agent, 'get_play', { playId: play.id });
    expect(got).toHaveProperty('layers');
    await agent.close();
    const said = [
      ...[play, layers, exported, dry, backtest, explained, got],
      await read(`/plays/${play.id}/events`),
      await read('/changes'),
      await read(`/flows/${flowId}`),
      await read(`/flows/${flowId}/versions`),
      await read('/audit?limit=100'),
      await everythingStored(),
      ...of('api').map(({ output }) => output()),
      ...of('worker').map(({ output }) => output()),
      ...of('scheduler').map(({ output }) => output()),
    ].map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    expect(said.join('')).toContain(play.id);
    expect(said.filter((text) => text.includes(SECRET) || text.includes('weft-link.'))).toEqual([]);
  });

  it('does not take it along to another origin, by a redirect or by an address of its own', async () => {
    ledger.answerWith(({ path }) => ({ status: 307, headers: { location: `${elsewhere.url}${path.split('?')[0]}` } }));
    const followed = await run(
      await flowOf([['a', request({ headers: KEY, query: { key: '{{ $link.access_token }}' } })]]),
    );
    expect(followed.play.state).toBe('DONE');
    expect(elsewhere.calls).toHaveLength(1);
    expect(JSON.stringify(elsewhere.calls)).not.toContain(SECRET);

    const straight = await run(await flowOf([['a', request({ url: `${elsewhere.url}/v1`, headers: KEY })]]));
    expect(straight.layers).toMatchObject([{ state: 'FAIL', error: { code: 'destination_blocked' } }]);
    const base = '{{ $prev.args.base }}/v1/x';
    const dynamic = await run(await flowOf([['a', request({ url: base, headers: KEY })]]), { base: elsewhere.url });
    expect(dynamic.layers[0]?.error?.message).toContain(`(${ledger.url}) alone, not to ${elsewhere.url}`);
    expect(elsewhere.calls).toHaveLength(1);
  });

  it('sends what the link has when it is called: after a change the new secret, after its end nothing', async () => {
    ledger.answerWith(echo);
    const mine = await linkOf();
    const flowId = await flowOf([['a', request({ headers: KEY }, mine)]]);
    const sent = () => ledger.calls.at(-1)?.headers['x-tenant-key'];
    await run(flowId);
    expect(sent()).toBe(`7:${SECRET}`);
    await admin.must(200, 'PATCH', `/api/v1/integrations/${mine}`, { access_token: RENEWED });
    // a worker may know the link for a second
    const until = (isSo: (ended: Awaited<ReturnType<typeof run>>) => boolean) => {
      const ask = async () => {
        const ended = await run(flowId);
        return isSo(ended) && ended;
      };
      return waitFor(ask, { what: 'a run with the link as it is now' });
    };
    const renewed = await until(() => sent() === `7:${RENEWED}`);
    expect(JSON.stringify(renewed.layers)).not.toContain(RENEWED);
    const basic = { kind: 'basic', username: 'tenant', password: RENEWED, settings: {} };
    await admin.must(200, 'PATCH', `/api/v1/integrations/${mine}`, basic);
    const turned = await until(({ play }) => play.state === 'FAIL');
    expect(turned.layers[0]?.error).toMatchObject({
      code: 'invalid_args',
      message: '$link.access_token: a link of the kind basic has no access_token; there are username, password',
    });
    const { layers } = await admin.must<{ layers: { warnings: object[] }[] }>(200, 'GET', `/api/v1/flows/${flowId}`);
    expect(layers[0]?.warnings).toMatchObject([{ path: 'args.headers.X-Tenant-Key', code: 'link_unfit' }]);
    await admin.must(204, 'DELETE', `/api/v1/integrations/${mine}`);
    await until(({ layers: [a] }) => a?.error?.code === 'integration_not_found');
  });

  it('is written by nobody without a right to the link, and has none of another company', async () => {
    const companyId = (await admin.must<{ CompanyID: string }>(200, 'GET', `/api/v1/integrations/${link}`)).CompanyID;
    const editor = await signedIn(fleet, 'flow_editor', companyId);
    const theirs = (await editor.must<{ id: string }>(201, 'POST', '/api/v1/flows', { name: 'theirs' })).id;
    const layer = { ref: 'a', appId: 'web-request', args: request({ headers: KEY }) };
    const write = (by: ApiClient, flowId: string, body: object) =>
      by.send('POST', `/api/v1/flows/${flowId}/layers`, body);
    expect((await write(editor, theirs, layer)).status).toBe(403);
    const computed = { ...layer, args: request({ headers: KEY }, '{{ $prev.args.link }}') };
    expect((await write(editor, theirs, computed)).status).toBe(403);

    const neighbour = await neighbourCompany(fleet);
    const foreign = (await neighbour.must<{ id: string }>(201, 'POST', '/api/v1/flows', { name: 'foreign' })).id;
    expect(await write(neighbour, foreign, layer)).toMatchObject({
      status: 201,
      body: { warnings: [{ code: 'unknown_id' }] },
    });
    const before = ledger.calls.length;
    const { playId } = await neighbour.run(foreign);
    await neighbour.waitForPlay(playId);
    expect(await neighbour.layers(playId)).toMatchObject([{ error: { code: 'integration_not_found' } }]);
    expect(ledger.calls).toHaveLength(before);
  });

  it.each([
    [
      { body: { key: '{{ $link.access_token }}' } },
      'invalid_expression',
      'args.body.key',
      'header values and query values',
    ],
    [
      { headers: { a: '{{ $link.acess_token }}' } },
      'invalid_expression',
      'args.headers.a',
      'did you mean access_token?',
    ],
    [
      { headers: { a: '{{ $base64encode($link.access_token) }}' } },
      'invalid_expression',
      'args.headers.a',
      'not within a computation',
    ],
    [
      { headers: { Accept: '{{ $link.access_token }}' } },
      'invalid_args',
      'args.headers.Accept',
      'redirects take a header',
    ],
    [{ auth: undefined, headers: KEY }, 'invalid_args', 'args.headers.X-Tenant-Key', 'there is no auth'],
  ])('is not saved as %j', async (args, code, path, message) => {
    const { id } = await admin.createFlow();
    const refused = await admin.send('POST', `/api/v1/flows/${id}/layers`, {
      ref: 'a',
      appId: 'web-request',
      args: request(args),
    });
    expect(refused).toMatchObject({ status: 422, body: { code, errors: [{ path }] } });
    expect(JSON.stringify(refused.body)).toContain(message);
  });
});

/** All documents of all collections, as JSON. */
async function everythingStored(): Promise<string> {
  const client = await mongoose.mongo.MongoClient.connect(servers.mongodbUri, { maxPoolSize: 1 });
  const db = client.db(servers.mongodbDb);
  const collections = await db.listCollections({ type: 'collection' }).toArray();
  const documents = await Promise.all(collections.map(({ name }) => db.collection(name).find().toArray()));
  await client.close();
  return JSON.stringify(documents);
}
