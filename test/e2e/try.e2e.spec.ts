import type { DryRunView } from '@weft/contracts';
import { Mongo, AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { waitFor, type ApiClient, type LedgerAnswer, type LedgerCall } from '@weft/testing';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany, signedIn } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin, ledger, servers } = fleet;
const mongo = await Mongo.open({ uri: servers.mongodbUri, db: servers.mongodbDb, appName: 'spec' });
afterAll(() => mongo.close());

interface Tried {
  readonly out: unknown;
  readonly outBytes: number;
  readonly isCut: boolean;
  readonly error: { readonly code: string; readonly message: string; readonly statusCode: number | null } | null;
  readonly durationMs: number;
  readonly request: { readonly method: string; readonly url: string } | null;
  readonly logs: readonly string[];
  readonly args: unknown;
  readonly unresolved: readonly { readonly path: string; readonly reason: string }[];
}

const ORDERS = [
  { id: 101, paid: true },
  { id: 102, paid: false },
  { id: 104, paid: true },
];
let answer: (call: LedgerCall) => LedgerAnswer = () => ({});
beforeEach(() => {
  answer = ({ path }) => ({ body: path.startsWith('/orders') ? { orders: ORDERS } : { path } });
});
ledger.answerWith((call) => answer(call));

const LAYERS = [
  { ref: 'orders', appId: 'web-request', args: { url: `${ledger.url}/orders`, query: { of: '{{ $prev.args.day }}' } } },
  { ref: 'paid', appId: 'transform', args: { expression: '$prev.orders.json.orders[paid]' } },
  {
    ref: 'push',
    appId: 'web-request',
    forEach: { in: '{{ .paid.value }}' },
    args: { method: 'POST', url: `${ledger.url}/push`, body: { id: '{{ $item.id }}', at: '{{ $index }}' } },
  },
];

const newFlow = (layers: readonly object[] = LAYERS, fields: object = {}) => admin.createFlow({ layers, ...fields });
const path = (flowId: string, rest: string): string => `/api/v1/flows/${flowId}/${rest}`;
const tryIn = (flowId: string, body: object, by: ApiClient = admin) =>
  by.must<Tried>(200, 'POST', path(flowId, 'layers/try'), body);
const refused = (status: number, flowId: string, body: object, by: ApiClient = admin) =>
  by.must<{ readonly code: string; readonly detail: string }>(status, 'POST', path(flowId, 'layers/try'), body);
const keep = (flowId: string, ref: string, out: unknown) =>
  admin.must(200, 'PUT', path(flowId, `samples/${ref}`), { out });

describe('trying a layer', () => {
  it('goes through a flow layer by layer: each answer is the sample from which the next one is called', async () => {
    const { id } = await newFlow();
    const args = { day: 'today' };
    const first = await tryIn(id, { layer: { ref: 'orders' }, args });
    expect(first).toMatchObject({
      out: { statusCode: 200, json: { orders: ORDERS } },
      error: null,
      isCut: false,
      request: { method: 'GET', url: `${ledger.url}/orders?of=today` },
      args: { url: `${ledger.url}/orders`, query: { of: 'today' } },
    });
    expect(ledger.callsTo('/orders').at(-1)?.path).toBe('/orders?of=today');

    expect(await refused(422, id, { layer: { ref: 'push' } })).toMatchObject({
      code: 'unresolved_refs',
      detail: expect.stringContaining('"paid"') as string,
    });
    await keep(id, 'orders', first.out);
    expect((await refused(422, id, { layer: { ref: 'push' } })).detail).toContain('ends at "orders"');
    // what only computes is computed from the samples before it
    const paid = await tryIn(id, { layer: { ref: 'paid' } });
    expect(paid).toMatchObject({ out: { value: [ORDERS[0], ORDERS[2]] }, request: null });

    const before = ledger.callsTo('/push').length;
    const unconfirmed = await refused(409, id, { layer: { ref: 'push' }, item: 1, args });
    expect(unconfirmed).toMatchObject({
      code: 'confirm_needed',
      request: { method: 'POST', url: `${ledger.url}/push` },
      args: { body: { id: 104, at: 1 } },
    });
    expect(ledger.callsTo('/push')).toHaveLength(before);
    const pushed = await tryIn(id, { layer: { ref: 'push' }, item: 1, confirm: true, args });
    expect(pushed).toMatchObject({ out: [{ json: { path: '/push' } }], error: null });
    const [sent, ...others] = ledger.callsTo('/push').slice(before);
    expect([sent?.body, others]).toEqual(['{"id":104,"at":1}', []]);
    expect(await refused(409, id, { layer: { ref: 'push' }, args })).toMatchObject({
      args: { body: { id: 101, at: 0 } },
    });
    await keep(id, 'push', pushed.out);

    // a dry run takes the samples of those that reach outside, and computes the rest
    const dry = await admin.must<DryRunView>(200, 'POST', path(id, 'dry-run'), { args });
    expect(dry).toMatchObject({
      state: 'DONE',
      missingFixtures: [],
      layers: [{}, { out: paid.out }, { out: pushed.out }],
    });
    const newer = ORDERS.map(({ id: order }) => ({ id: order + 100, paid: true }));
    const fixtures = { orders: { json: { orders: newer } } };
    const other = await admin.must<DryRunView>(200, 'POST', path(id, 'dry-run'), { args, fixtures });
    expect(other.layers[1]?.out).toEqual({ value: newer });
    await admin.must(204, 'DELETE', path(id, 'samples/push'));
    const untried = await admin.must<DryRunView>(200, 'POST', path(id, 'dry-run'), { args });
    expect(untried).toMatchObject({ state: 'NOT_TRIED', missingFixtures: ['push'] });
  });

  it('makes no play and counts nowhere, and is in the audit log before the call', async () => {
    const { id } = await newFlow();
    answer = () => ({ hangUp: true });
    const failed = await tryIn(id, { layer: { ref: 'orders' }, args: { day: 'x' } });
    expect(failed).toMatchObject({ out: null, error: { code: expect.stringMatching(/connect|response/) as string } });
    const { items } = await admin.must<{ items: unknown[] }>(200, 'GET', `/api/v1/plays?flowId=${id}`);
    expect(items).toEqual([]);
    const entries = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ resource_id: id, action_type: 'layer_tried' })
      .toArray();
    expect(entries).toHaveLength(1);
    expect(entries[0]?.changes).toMatchObject({ layer: { after: 'orders' }, method: { after: 'GET' } });
    expect(entries[0]?.UserEmail).toBeTruthy();
  });

  it('takes a layer that is not saved, shows what was refused, and what an expression lacks', async () => {
    const { id } = await newFlow();
    answer = () => ({ status: 422, body: { error: 'no VAT number' } });
    const layer = { ref: 'new', appId: 'web-request', args: { url: `${ledger.url}/{{ $prev.args.what }}` } };
    const tried = await tryIn(id, { layer, args: { what: 'thing' } });
    expect(tried).toMatchObject({
      error: { code: 'bad_status' },
      out: { statusCode: 422, json: { error: 'no VAT number' } },
      request: { url: `${ledger.url}/thing` },
    });
    const lacking = await tryIn(id, { layer, args: {} });
    expect(lacking).toMatchObject({
      error: { code: 'expression_unresolved' },
      durationMs: 0,
      unresolved: [{ path: '/url' }],
    });
    const draft = [{ ref: 'base', appId: 'text-template', args: { template: 'drafted' } }, layer];
    const read = { ...layer, args: { url: `${ledger.url}/{{ .base.text }}` } };
    expect(await tryIn(id, { layer: read, layers: draft })).toMatchObject({
      request: { url: `${ledger.url}/drafted` },
    });
  });

  it('gives of a large answer the first part, and refuses one that no try reads', async () => {
    const { id } = await newFlow();
    answer = () => ({ body: { rows: Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(50) })) } });
    const tried = await tryIn(id, { layer: { ref: 'orders' }, args: { day: 1 } });
    expect(tried).toMatchObject({
      isCut: true,
      out: { json: { rows: expect.arrayContaining([{ n: 0, text: 'x'.repeat(50) }]) as unknown } },
    });
    expect(tried.outBytes).toBeGreaterThan(1_000_000);
    expect(JSON.stringify(tried.out).length).toBeLessThanOrEqual(256 * 1024);
    await keep(id, 'orders', tried.out);
    answer = () => ({ body: 'x'.repeat(9 * 1024 * 1024) });
    expect(await tryIn(id, { layer: { ref: 'orders' }, args: { day: 1 } })).toMatchObject({
      error: { code: 'output_too_large' },
    });
  });

  it('hides the credential of a link and secrets of a blueprint', async () => {
    const secret = 'a-secret-of-the-shop';
    const body = { type: 'shop', name: 'Shop', endpoint: ledger.url, access_token: secret };
    const link = { ...body, kind: 'query', settings: { parameter: 'key' } };
    const { id: integrationId } = await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', link);
    const blueprint = await admin.createFlow({
      isBlueprint: true,
      layers: [
        {
          ref: 'ask',
          appId: 'web-request',
          args: { url: `${ledger.url}/ask/{{ $blueprint.token }}/{{ $blueprint.shop }}`, auth: { integrationId } },
        },
      ],
    });
    const vars = { name: 'instance', blueprintVars: { token: 'token-9f8a7b6c5d4e', shop: 'north' } };
    const { id } = await admin.must<{ id: string }>(201, 'POST', path(blueprint.id, 'instantiate'), vars);
    answer = () => ({ body: {} });
    const tried = await tryIn(id, { layer: { ref: 'ask' } });
    expect(ledger.calls.at(-1)?.path).toBe(`/ask/token-9f8a7b6c5d4e/north?key=${secret}`);
    expect(tried).toMatchObject({ error: null, request: { url: `${ledger.url}/ask/[secret]/north` } });
    expect(JSON.stringify(tried)).not.toMatch(/token-9f8a|a-secret-of/);
  });

  it('ends the call when the one who asks goes', async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const silent = createServer((_request, response) => arrived.resolve(response));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const { id } = await newFlow([{ ref: 'ask', appId: 'web-request', args: { url } }]);
    const gone = new AbortController();
    const asking = fetch(`${admin.url}${path(id, 'layers/try')}`, {
      method: 'POST',
      headers: { ...admin.credentials, 'content-type': 'application/json' },
      body: JSON.stringify({ layer: { ref: 'ask' } }),
      signal: gone.signal,
    });
    const response = await arrived.promise;
    const closed = once(response, 'close');
    gone.abort();
    await expect(asking).rejects.toThrow('aborted');
    await closed;
    silent.close();
  });

  it('is for those who may edit and run the flow and use its links, and within its rate', async () => {
    const { id } = await newFlow();
    const companyId = (await admin.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me')).company_id;
    const [viewer, editor, neighbour] = [
      await signedIn(fleet, 'viewer', companyId),
      await signedIn(fleet, 'flow_editor', companyId),
      await neighbourCompany(fleet),
    ];
    const layer = { ref: 'orders' };
    expect(await refused(403, id, { layer }, viewer)).toMatchObject({ code: 'denied' });
    expect(await refused(404, id, { layer }, neighbour)).toMatchObject({ code: 'not_found' });
    const body = { type: 'shop', name: 'Mine', endpoint: ledger.url, access_token: 'not-for-editors' };
    const link = await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', body);
    const args = { url: ledger.url, auth: { integrationId: link.id } };
    const withLink = { layer: { ref: 'a', appId: 'web-request', args } };
    expect(await refused(403, id, withLink, editor)).toMatchObject({ code: 'denied' });
    const wait = { layer: { ref: 'w', appId: 'delay', args: { ms: 5 } } };
    expect(await refused(422, id, wait, editor)).toMatchObject({ code: 'not_triable' });
    await waitFor(
      async () => {
        const { status } = await editor.send('POST', path(id, 'layers/try'), { layer, args: { day: 1 } });
        return status === 429;
      },
      { what: 'the rate of a user' },
    );
    expect(await refused(429, id, { layer }, editor)).toMatchObject({ code: 'too_many_tries' });
    expect(await tryIn(id, { layer, args: { day: 1 } })).toMatchObject({ error: null });
  });
});
