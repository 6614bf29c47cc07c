import { SETTINGS, type Settings } from '@weft/config';
import { APIS, type ApiDocument } from '@weft/records';
import { Sandbox } from '@weft/sandbox';
import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { answeringServer, mcpServer, resultOf, waitFor, type Offer, type OfferedTool } from '@weft/testing';
import pino from 'pino';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROLES } from '@weft/access';
import { liveApi, newId, textOf, type Json, type Person } from '../../../../test/api/live-api.js';
import { agentKey } from '../../../../test/api/mcp-agent.js';
import { ApiImporter } from './api-importer.js';

const { app, mongo, person } = await liveApi();
const settings = app.get<Settings>(SETTINGS, { strict: false });
const importer = new ApiImporter(settings, pino({ level: 'silent' }), newId, mongo, app.get(Sandbox));
const PATH = '/api/v1/mcp-servers';
const apis = mongo.collection<ApiDocument>(APIS);

const NUMBER = { type: 'number' };
const ADD: OfferedTool = {
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers.',
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object', properties: { a: NUMBER, b: NUMBER }, required: ['a', 'b'] },
  outputSchema: { type: 'object', properties: { sum: NUMBER }, required: ['sum'] },
};
const NEGATE: OfferedTool = { name: 'negate', inputSchema: { type: 'object', properties: { a: NUMBER } } };

const offer: Offer = { tools: [], perform: () => ({ content: [] }) };
let server: Awaited<ReturnType<typeof mcpServer>>;
beforeAll(async () => {
  server = await mcpServer('2026', offer);
});
beforeEach(() => {
  offer.tools = [ADD, NEGATE];
});
afterEach(() => apis.deleteMany({}));
afterAll(() => Promise.all([importer.drain(), server.close()]));

async function settled(who: Person, id: string): Promise<Json> {
  return waitFor(
    async () => {
      await importer.pass();
      const { body } = await who.send('GET', `${PATH}/${id}`);
      return textOf(body.state) !== 'importing' && body;
    },
    { what: 'the list of tools', withinMs: 60_000 },
  );
}

async function added(who: Person, more: object = {}): Promise<Json> {
  const { status, body } = await who.send('POST', PATH, { body: { name: 'Adder', url: server.url, ...more } });
  if (status !== 202) throw new Error(JSON.stringify(body));
  expect(body).toMatchObject({ state: 'importing', importedAt: null });
  return settled(who, textOf(body.id));
}

async function link(by: Person, endpoint: string, token: string): Promise<string> {
  const body = { name: 'mcp', type: 'mcp', endpoint, access_token: token };
  const made = await by.send('POST', '/api/v1/integrations', { body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return textOf(made.body.id);
}

const namesOf = (body: Json) => (body.items as unknown as Json[]).map(({ name }) => textOf(name));

describe('an MCP server', () => {
  it.each(['2026', '2025'] as const)(
    'of %s is added by its address, and its tools are there for layers',
    async (era) => {
      const own = era === '2026' ? server : await mcpServer(era, offer);
      const manager = await person('integration_manager');
      const found = await added(manager, { key: 'adder', url: own.url });
      expect(found).toMatchObject({
        ...{ state: 'ready', fault: null, url: own.url, era: 'auto', title: 'The adder', version: '3' },
        ...{ description: 'Adds numbers.', integrationId: null, report: { operations: 2, skipped: [] } },
      });
      expect(textOf(found.protocol)).toMatch(era === '2026' ? '2026-07-28' : '2025-');
      const list = await manager.send('GET', `${PATH}/adder/tools`);
      expect(list.body.items).toMatchObject([{ name: 'add', title: 'Add', tags: ['read-only'] }, { name: 'negate' }]);
      expect(namesOf((await manager.send('GET', `${PATH}/adder/tools?q=NEG`)).body)).toEqual(['negate']);
      const tool = await manager.send('GET', `${PATH}/adder/tools/add`);
      expect(tool.body).toMatchObject({
        current: true,
        argsSchema: { required: ['a', 'b'], additionalProperties: false },
        outSchema: { properties: { structured: { properties: { sum: NUMBER } } } },
      });
      const face = await manager.send('GET', `/api/v1/modules/mcp-tool/face?key=${encodeURIComponent('adder/add')}`);
      expect(face.body).toMatchObject({ title: 'Add', digest: tool.body.digest });
      if (own !== server) await own.close();
    },
  );

  it('is not an API, nor is an API a server', async () => {
    const manager = await person('integration_manager');
    await added(manager, { key: 'adder' });
    expect((await manager.send('GET', '/api/v1/apis/adder')).status).toBe(404);
    expect((await manager.send('GET', '/api/v1/apis')).body.items).toEqual([]);
    const face = await manager.send('GET', `/api/v1/modules/operation/face?key=${encodeURIComponent('adder/add')}`);
    expect(face.status).toBe(404);
  });

  it('pins flows to the tool that they were saved with; another one is adopted', async () => {
    const admin = await person('admin');
    await added(admin, { key: 'adder' });
    const layers = (input: object, tool = 'add') => [
      { ref: 'add', name: 'add', appId: 'mcp-tool', args: { server: 'adder', tool, input } },
    ];
    const make = (input: object, tool?: string) =>
      admin.send('POST', '/api/v1/flows', { body: { name: 'sums', layers: layers(input, tool) } });
    expect(await make({ a: 'two', b: 3 })).toMatchObject({ status: 422, body: { code: 'invalid_args' } });
    expect(await make({ a: 1 }, 'divide')).toMatchObject({ status: 422, body: { code: 'invalid_args' } });
    const flow = await make({ a: 2, b: '{{ $prev.args.b }}' });
    expect(flow.status).toBe(201);
    const pinOf = async () => {
      const { body } = await admin.send('GET', `/api/v1/flows/${textOf(flow.body.id)}`);
      return textOf((body.layers as unknown as { args: Json }[])[0]?.args.digest);
    };
    const before = await pinOf();
    const properties = { a: NUMBER, b: NUMBER, c: NUMBER };
    offer.tools = [{ ...ADD, inputSchema: { type: 'object', properties, required: ['a', 'b', 'c'] } }, NEGATE];
    await admin.send('POST', `${PATH}/adder/refresh`, { body: { dryRun: true } });
    expect(await settled(admin, 'adder')).toMatchObject({ state: 'ready' });
    const diff = await admin.send('GET', `${PATH}/adder/diff`);
    expect(diff.body).toMatchObject({
      refresh: { dryRun: true, counts: { added: 0, removed: 0, changed: 0, breaking: 1 } },
      operations: [{ operation: 'add', result: 'breaking' }],
      flows: [{ flowId: flow.body.id, layers: [{ ref: 'add', operation: 'add', result: 'breaking' }] }],
    });
    offer.tools = [{ ...ADD, description: 'Adds two numbers, and rounds.' }, NEGATE];
    await admin.send('POST', `${PATH}/adder/refresh`, { body: {} });
    await settled(admin, 'adder');
    expect(await pinOf()).toBe(before);
    const { body } = await admin.send('POST', `${PATH}/adder/adopt`, { body: { flows: [flow.body.id] } });
    expect(body.items).toMatchObject([{ result: 'adopted', version: 2 }]);
    expect(await pinOf()).not.toBe(before);
    // a state to which an older version is pinned stays
    const former = await admin.send('GET', `${PATH}/adder/tools/add?digest=${before}`);
    expect(former.body).toMatchObject({ current: false, digest: before });
  });

  it('is found by the address of its link, and is shown its credential at that origin alone', async () => {
    const admin = await person('admin');
    const integrationId = await link(admin, server.url, 'a-token-of-the-link-1');
    await added(admin, { url: undefined, integrationId, key: 'linked' });
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer a-token-of-the-link-1');
    const before = server.requests.length;
    const elsewhere = await link(admin, 'https://elsewhere.example/mcp', 'another-token-of-1');
    const refused = await added(admin, { integrationId: elsewhere });
    expect(refused).toMatchObject({ state: 'failed', fault: expect.stringContaining('origin') as string });
    expect(server.requests).toHaveLength(before);
    expect(await admin.send('POST', PATH, { body: { name: 'x' } })).toMatchObject({ status: 400 });
  });

  it('is changed, refreshed and deleted, and the audit log says by whom', async () => {
    const manager = await person('integration_manager');
    const id = textOf((await added(manager)).id);
    const changed = await manager.send('PATCH', `${PATH}/${id}`, { body: { name: 'Sums', key: 'sums', era: '2026' } });
    expect(changed.body).toMatchObject({ name: 'Sums', key: 'sums', era: '2026' });
    await manager.send('POST', `${PATH}/sums/refresh`, { body: {} });
    await settled(manager, id);
    expect((await manager.send('DELETE', `${PATH}/sums`)).status).toBe(204);
    expect((await manager.send('GET', `${PATH}/${id}`)).status).toBe(404);
    const entries = await mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: id }).toArray();
    expect(entries.map(({ action_type }) => action_type).sort()).toEqual([
      'mcp_server_created',
      'mcp_server_deleted',
      'mcp_server_refreshed',
      'mcp_server_updated',
    ]);
  });

  it('is nobody else’s: no role of another company sees or changes it', async () => {
    const admin = await person('admin');
    const id = textOf((await added(admin, { key: 'mine' })).id);
    for (const role of ROLES) {
      const stranger = await person(role);
      for (const [method, path, body] of [
        ['GET', `/${id}`],
        ['GET', '/mine'],
        ['GET', `/${id}/tools`],
        ['GET', `/${id}/tools/add`],
        ['GET', `/${id}/diff`],
        ['PATCH', `/${id}`, { name: 'x' }],
        ['POST', `/${id}/refresh`, {}],
        ['POST', `/${id}/adopt`, { flows: [newId()] }],
        ['DELETE', `/${id}`],
      ] as const) {
        const { status } = await stranger.send(method, `${PATH}${path}`, { body });
        expect([403, 404], `${role} ${method} ${path}`).toContain(status);
      }
      const face = await stranger.send('GET', `/api/v1/modules/mcp-tool/face?key=${encodeURIComponent('mine/add')}`);
      expect([403, 404]).toContain(face.status);
    }
    expect((await admin.send('GET', `${PATH}/${id}`)).body).toMatchObject({ name: 'Adder', state: 'ready' });
  });
});

describe('the list of tools', () => {
  const odd: OfferedTool = {
    name: 'odd',
    inputSchema: {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Node' }, self: { $ref: '#' }, far: { $ref: 'http://169.254.169.254/x' } },
      $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } }, A: { $ref: '#/$defs/A' } },
    },
  };

  it('is taken tool by tool: those that cannot be called are skipped, with their reasons', async () => {
    const manager = await person('integration_manager');
    const deepText = `${'{"type":"array","items":'.repeat(5_000)}{}${'}'.repeat(5_000)}`;
    const listed = [
      odd,
      ADD,
      ADD,
      { name: '***', inputSchema: {} },
      { name: 'flat' },
      { name: 'big', inputSchema: { type: 'object', title: 'x'.repeat(70_000) } },
    ];
    const own = await answeringServer((_request, body, answer) => {
      const { method = '' } = JSON.parse(body) as { method?: string };
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'odd', version: '1' },
      };
      const text = resultOf(
        body,
        method === 'initialize' ? result : { tools: [...listed, { name: 'deep', inputSchema: 'DEEP' }] },
      );
      answer.writeHead(method.startsWith('notifications') ? 202 : 200, { 'content-type': 'application/json' });
      answer.end(text.replace('"DEEP"', deepText));
    });
    const found = await added(manager, { url: own.url, era: '2025', key: 'odd' });
    expect(found).toMatchObject({ state: 'ready', report: { operations: 2, skippedCount: 5 } });
    const report = found.report as unknown as {
      skipped: { path: string; reason: string }[];
      warnings: { path: string }[];
    };
    expect(report.skipped.map(({ path }) => path).sort()).toEqual([
      'tools/3',
      'tools/add',
      'tools/big',
      'tools/deep',
      'tools/flat',
    ]);
    expect(report.warnings.some(({ path }) => path === 'tools/odd/inputSchema/properties/far')).toBe(true);
    expect(namesOf((await manager.send('GET', `${PATH}/odd/tools`)).body)).toEqual(['add', 'odd']);
    await own.close();
  });

  it('says why it cannot be read', async () => {
    const manager = await person('integration_manager');
    const many = Array.from({ length: 10_000 }, (_, i) => ({ ...NEGATE, name: `t${i}` }));
    offer.tools = many;
    expect(await added(manager)).toMatchObject({
      state: 'failed',
      fault: expect.stringContaining('1000 tools') as string,
    });
    for (const [url, says] of [
      ['http://169.254.169.254/mcp', 'destination_blocked'],
      ['http://127.0.0.1:1/mcp', 'mcp_unreachable'],
    ] as const) {
      expect(await added(manager, { url })).toMatchObject({
        state: 'failed',
        fault: expect.stringContaining(says) as string,
      });
    }
    for (const url of ['https://user:pw@mcp.example.com/', 'ftp://x', 'https://a.example/#b']) {
      expect(await manager.send('POST', PATH, { body: { name: 'x', url } })).toMatchObject({ status: 400 });
    }
  });
});

it('reads the tools of Weft itself, of another company', async () => {
  const [owner, caller] = [await person('admin'), await person('admin')];
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  const url = `http://127.0.0.1:${port}/mcp`;
  const integrationId = await link(caller, url, await agentKey(owner));
  const found = await added(caller, { url, integrationId, key: 'weft' });
  expect(found).toMatchObject({ state: 'ready', protocol: '2026-07-28', report: { skipped: [] } });
  expect(namesOf((await caller.send('GET', `${PATH}/weft/tools?q=create_flow`)).body)).toEqual(['create_flow']);
});
