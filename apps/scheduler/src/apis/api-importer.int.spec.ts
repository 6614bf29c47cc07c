import { createHash } from 'node:crypto';
import { SETTINGS, type Settings } from '@weft/config';
import { ROLES } from '@weft/access';
import { API_OPERATIONS, APIS, type ApiDocument, type ApiOperationDocument } from '@weft/records';
import { Sandbox } from '@weft/sandbox';
import { PayloadStore, type Mongo } from '@weft/store';
import { ledgerServer, waitFor, type LedgerServer } from '@weft/testing';
import { packTar } from 'modern-tar';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Json, type Person } from '../../../../test/api/live-api.js';
import { dying, killAtEach } from '../../../../test/fixtures/dying-mongo.js';
import { CHAT, documentOf, NUMBER, post, TEXT, TRANSLATION } from './api-documents.fixture.js';
import { ApiImporter } from './api-importer.js';

const { app, mongo, person } = await liveApi();
const settings = app.get<Settings>(SETTINGS, { strict: false });
const PATH = '/api/v1/apis';
const apis = mongo.collection<ApiDocument>(APIS);
const stored = mongo.collection<ApiOperationDocument>(API_OPERATIONS);

const made: ApiImporter[] = [];
function importer(by: Mongo = mongo): ApiImporter {
  const one = new ApiImporter(settings, pino({ level: 'silent' }), newId, by, app.get(Sandbox));
  made.push(one);
  return one;
}
/** In one company, whose process in the sandbox stays for the next import. */
const admin = await person('admin');
const manager = await person('integration_manager', admin.scope.companyId);

let worker: ApiImporter;
let peer: LedgerServer;
beforeAll(async () => {
  worker = importer();
  peer = await ledgerServer();
});
afterEach(() => apis.deleteMany({}));
afterAll(() => Promise.all([peer.close(), ...made.map((each) => each.drain())]));

async function give(who: Person, source: object, more: object = {}): Promise<string> {
  const { status, body } = await who.send('POST', PATH, { body: { name: 'spec', source, ...more } });
  if (status !== 202) throw new Error(JSON.stringify(body));
  expect(body).toMatchObject({ state: 'importing', importedAt: null });
  return textOf(body.id);
}

/** Imports until the API has been imported, or has failed. */
async function settled(who: Person, id: string, by: ApiImporter = worker): Promise<Json> {
  const hasEnded = async () => {
    await by.pass();
    return (await apis.findOne({ _id: id }, { projection: { state: 1 } }))?.state !== 'importing';
  };
  await waitFor(hasEnded, { what: 'the import' });
  return (await who.send('GET', `${PATH}/${id}`)).body;
}

/** Nothing of an API that was deleted is left. */
async function isRemoved(id: string, by: ApiImporter = worker): Promise<void> {
  const isGone = async () => {
    await by.pass();
    return (await apis.findOne({ _id: id })) === null;
  };
  await waitFor(isGone, { what: 'the removal' });
  expect(await stored.countDocuments({ apiId: id })).toBe(0);
}

const imported = async (who: Person, source: object, more: object = {}) => settled(who, await give(who, source, more));

async function operations(who: Person, id: string, query = ''): Promise<readonly Json[]> {
  const { status, body } = await who.send('GET', `${PATH}/${id}/operations${query}`);
  expect(status).toBe(200);
  return body.items as unknown as Json[];
}
const namesOf = (items: readonly Json[]) => items.map(({ name }) => textOf(name));

describe('the import of a document', () => {
  it('fetches it from its address, and lists its operations by name', async () => {
    const document = documentOf({ '/b': post('b.second'), '/a': post('a'), '/c': post('c') });
    peer.answerWith(() => ({ body: document }));
    const api = await imported(manager, { url: `${peer.url}/doc.json` }, { key: 'orders' });
    expect(api).toMatchObject({
      ...{ state: 'ready', fault: null, key: 'orders', title: 'Orders', version: '1' },
      sha256: createHash('sha256').update(document).digest('hex'),
      servers: [{ url: 'https://orders.example/v1' }],
      source: { url: `${peer.url}/doc.json` },
      report: { operations: 3, skipped: [], warningsCount: 0 },
    });
    expect(peer.callsTo('/doc.json')).toHaveLength(1);
    const list = await operations(manager, 'orders');
    expect(namesOf(list)).toEqual(['a', 'b.second', 'c']);
    expect(list[1]).toMatchObject({ kind: 'openapi', method: 'POST', path: '/b', title: 'Does b.second' });
    const first = await manager.send('GET', `${PATH}/orders/operations?size=2`);
    const cursor = textOf(first.body.nextCursor);
    expect(namesOf(await operations(manager, 'orders', `?size=2&cursor=${cursor}`))).toEqual(['c']);
    expect(namesOf(await operations(manager, 'orders', '?q=SECOND'))).toEqual(['b.second']);
    expect(namesOf(await operations(manager, 'orders', '?q=.*'))).toEqual([]);
    expect(namesOf(await operations(manager, 'orders', '?tag=orders&q=%2Fc'))).toEqual(['c']);
    expect(namesOf(await operations(manager, 'orders', '?tag=none'))).toEqual([]);
    const { body } = await manager.send('GET', `${PATH}/orders/operations/b.second`);
    expect(body).toMatchObject({ current: true, plan: { method: 'POST', path: '/b' }, argsSchema: { type: 'object' } });
  });

  it('takes a document that is pasted, and one that was uploaded, as JSON or YAML', async () => {
    const pasted = await imported(manager, { document: TRANSLATION });
    expect(pasted).toMatchObject({ state: 'ready' });
    const upload = await manager.send('POST', '/api/v1/payloads', { body: CHAT });
    const uploaded = await imported(manager, { payload: { $ref: textOf(upload.body.$ref) } });
    expect(uploaded).toMatchObject({ state: 'ready', source: { payload: { $ref: textOf(upload.body.$ref) } } });
    expect(namesOf(await operations(manager, textOf(uploaded.id)))).toContain('chat_post');
  });

  it('takes an archive with the parts of a document, and says why it cannot take one', async () => {
    const upload = async (files: Record<string, string>) => {
      const entries = Object.entries(files).map(([name, body]) => ({ header: { name, size: body.length }, body }));
      // its bytes are ASCII
      const body = Buffer.from(await packTar(entries)).toString();
      const answer = await manager.send('POST', '/api/v1/payloads', {
        body,
        headers: { 'content-type': 'application/x-tar' },
      });
      return imported(manager, { payload: { $ref: textOf(answer.body.$ref) } });
    };
    const parts = {
      'shop/openapi.yaml':
        "{ openapi: 3.1.0, info: { title: Shop, version: '1' }, paths: { /a: { $ref: paths/a.yaml } } }",
      'shop/paths/a.yaml': '{ get: { operationId: first, responses: { 200: { description: ok } } } }',
    };
    const api = await upload(parts);
    expect(api).toMatchObject({ state: 'ready', title: 'Shop', report: { operations: 1, warningsCount: 0 } });
    expect(namesOf(await operations(manager, textOf(api.id)))).toEqual(['first']);
    expect(await upload({ ...parts, '../a.yaml': '' })).toMatchObject({
      state: 'failed',
      fault: expect.stringContaining('a file outside of its root: "../a.yaml"') as string,
    });
  });

  it('says which links its operations ask for, what tags they have, and who may use the link that it has', async () => {
    peer.answerWith(({ path }) => ({
      status: path === '/none' ? 404 : 200,
      body: JSON.stringify({
        authorization_endpoint: 'https://id.example/authorize',
        token_endpoint: 'https://id.example/token',
        grant_types_supported: ['authorization_code', 'client_credentials'],
      }),
    }));
    const document = {
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: 'https://api.shop.example/v1' }],
      security: [{ id: ['orders'] }],
      components: {
        securitySchemes: {
          id: { type: 'openIdConnect', openIdConnectUrl: `${peer.url}/.well-known/openid-configuration` },
          other: { type: 'openIdConnect', openIdConnectUrl: `${peer.url}/none` },
          key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'From your account.' },
        },
      },
      paths: {
        '/a': { get: { operationId: 'a', tags: ['orders'], responses: { 200: { description: 'ok' } } } },
        '/b': { get: { operationId: 'b', tags: ['orders', 'people'], security: [{ key: [] }], responses: {} } },
        '/c': { get: { operationId: 'c', security: [{ other: [] }], responses: {} } },
      },
    };
    const api = await imported(admin, { document: JSON.stringify(document) });
    const endpoint = 'https://api.shop.example/v1';
    const addresses = { authorize_url: 'https://id.example/authorize', token_url: 'https://id.example/token' };
    const key = {
      schemes: ['key'],
      kind: 'header',
      settings: { header: 'X-Key' },
      endpoint,
      description: 'From your account.',
    };
    expect(api).toMatchObject({
      ...{ state: 'ready', operations: 3, mayUseLink: false },
      tags: [
        { name: 'orders', operations: 2 },
        { name: 'people', operations: 1 },
      ],
      security: [
        { schemes: ['id'], kind: 'oauth2', settings: addresses, scopes: ['orders'], endpoint },
        { schemes: ['id'], kind: 'oauth2_client_credentials', settings: { token_url: addresses.token_url } },
        { schemes: ['id'], kind: 'bearer', scopes: [] },
        key,
        { schemes: ['other'], kind: 'bearer' },
      ],
      report: {
        warningsCount: 1,
        warnings: [
          {
            path: '#/components/securitySchemes/other',
            reason: expect.stringMatching(/answered 404, not 200/) as string,
          },
        ],
      },
    });
    const id = textOf(api.id);
    expect((await admin.send('GET', `${PATH}/${id}/operations/b`)).body.security).toEqual([{ ...key, scopes: [] }]);
    const listed = (await admin.send('GET', PATH)).body.items as unknown as Json[];
    expect(listed[0]).toMatchObject({ id, operations: 3 });
    expect(listed[0]).not.toHaveProperty('report');
    // what it suggests is a link as it is, with a name and the secret
    const { kind, settings } = key;
    const body = { name: 'Shop', type: 'shop', access_token: 'sesame', kind, settings, endpoint, scopes: [] };
    const made = await admin.send('POST', '/api/v1/integrations', { body });
    expect(made.status).toBe(201);
    const integrationId = textOf(made.body.id);
    const linked = await admin.send('PATCH', `${PATH}/${id}`, { body: { integrationId } });
    expect(linked.body).toMatchObject({ integrationId, mayUseLink: true });
    const editor = await person('flow_editor', admin.scope.companyId);
    expect((await editor.send('GET', `${PATH}/${id}`)).body).toMatchObject({ integrationId, mayUseLink: false });
    expect((await (await person('admin')).send('GET', `${PATH}/${id}`)).status).toBe(404);
  });

  it('is mended by the overlay of the API, from the next import on', async () => {
    const change = (id: string, actions: unknown) =>
      manager.send('PATCH', `${PATH}/${id}`, { body: { overlay: actions && { overlay: '1.0.0', actions } } });
    const refreshed = async (id: string) => {
      expect((await manager.send('POST', `${PATH}/${id}/refresh`, { body: {} })).status).toBe(202);
      return settled(manager, id);
    };
    peer.answerWith(() => ({ body: documentOf({ '/a': post('a') }) }));
    const id = textOf((await imported(manager, { url: `${peer.url}/doc.json` })).id);
    const schemes = { 'a.b': { type: 'http', scheme: 'bearer' } };
    const actions = [
      { target: '$.paths.*.post', update: { operationId: 'mended' } },
      { target: '$', update: { components: { securitySchemes: schemes }, security: [{ 'a.b': [] }] } },
      { target: '$.nothing', remove: true },
    ];
    const { status, body } = await change(id, actions);
    expect([status, body]).toMatchObject([200, { state: 'ready', overlay: { overlay: '1.0.0', actions } }]);
    expect(namesOf(await operations(manager, id))).toEqual(['a']);
    expect(await refreshed(id)).toMatchObject({
      ...{ state: 'ready', securitySchemes: schemes, security: [{ kind: 'bearer' }] },
      report: { warnings: [{ path: 'overlay.actions.2' }] },
    });
    expect(namesOf(await operations(manager, id))).toEqual(['mended']);

    const refused = await change(id, [...actions, { target: '$.paths[', update: {} }]);
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toMatchObject([{ path: 'overlay.actions.3.target', code: 'invalid' }]);
    await change(id, [{ target: '$.info.title', update: 'x' }]);
    expect(textOf((await refreshed(id)).fault)).toMatch(/^overlay\.actions\.0 of the API finds a value/);
    // what was imported before stays
    expect(namesOf(await operations(manager, id))).toEqual(['mended']);
    expect((await change(id, null)).body.overlay).toBeNull();
    expect(await refreshed(id)).toMatchObject({ state: 'ready', securitySchemes: {} });
    expect(namesOf(await operations(manager, id))).toEqual(['a']);
  });

  it('keeps names, schemas and texts of any kind', async () => {
    const fields = { $where: TEXT, 'a.b': TEXT, constructor: TEXT, $ref: TEXT, $id: TEXT, '\u0000': TEXT };
    const deep = Array.from({ length: 120 }).reduce<object>((inner) => ({ type: 'array', items: inner }), TEXT);
    const schemes = { 'a.b': { type: 'apiKey', in: 'header', name: 'k' }, $x: { type: 'http', scheme: 'basic' } };
    const document = documentOf(
      { '/a': post('$a', { ...fields, deep }) },
      { components: { securitySchemes: schemes } },
    );
    const api = await imported(manager, { document });
    expect(api).toMatchObject({ state: 'ready', securitySchemes: schemes });
    const [operation] = await operations(manager, textOf(api.id));
    const { body } = await manager.send('GET', `${PATH}/${textOf(api.id)}/operations/${textOf(operation?.name)}`);
    const text = JSON.stringify(body.argsSchema);
    for (const name of Object.keys(fields)) expect(text).toContain(JSON.stringify(name));
  });

  it('says why nothing can be imported', async () => {
    const faults = async (source: object) => textOf((await imported(manager, source)).fault);
    expect(await faults({ document: '[]' })).toMatch(/not an object/);
    expect(await faults({ document: '{"openapi": "3.1.0"' })).toMatch(/neither JSON nor YAML/);
    expect(await faults({ url: 'http://169.254.169.254/latest/meta-data' })).toMatch(/may not be called from here/);
    expect(await faults({ url: 'http://127.0.0.2:9/' })).toMatch(/may not be called from here/);
    peer.answerWith(() => ({ status: 404, body: 'no' }));
    expect(await faults({ url: `${peer.url}/x` })).toMatch(/answered 404/);
    peer.answerWith(() => ({ status: 302, headers: { location: 'file:///etc/passwd' } }));
    expect(await faults({ url: `${peer.url}/x` })).toMatch(/file:.* may not be called/);
    peer.answerWith(() => ({ status: 302, headers: { location: 'http://[fd00:ec2::254]/' } }));
    expect(await faults({ url: `${peer.url}/x` })).toMatch(/may not be called from here/);
    peer.answerWith(() => ({ body: 'x'.repeat(17 * 1024 * 1024) }));
    expect(await faults({ url: `${peer.url}/x` })).toMatch(/output_too_large/);
  });

  it('refuses sources that cannot be one', async () => {
    const codes = async (source: object) => (await manager.send('POST', PATH, { body: { name: 'x', source } })).status;
    expect(await codes({})).toBe(400);
    expect(await codes({ url: 'https://a.example/', document: '{}' })).toBe(400);
    expect(await codes({ url: 'file:///etc/passwd' })).toBe(400);
    expect(await codes({ url: 'https://user:pass@a.example/' })).toBe(400);
    expect(await codes({ payload: { $ref: 'file:///etc/passwd' } })).toBe(400);
    expect(await codes({ payload: { $ref: `/api/v1/payloads/${'0'.repeat(24)}` } })).toBe(400);
    const other = await person('admin');
    const upload = await other.send('POST', '/api/v1/payloads', { body: CHAT });
    expect(await codes({ payload: { $ref: textOf(upload.body.$ref) } })).toBe(400);
  });

  it('reaches nothing from references, and multiplies nothing', async () => {
    const ref = ($ref: string): object => ({ $ref });
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `l${i}`,
        {
          type: 'object',
          properties: { x: ref(`#/components/schemas/l${i + 1}`), y: ref(`#/components/schemas/l${i + 1}`) },
        },
      ]),
    );
    const fields = {
      bomb: ref('#/components/schemas/l0'),
      circle: ref('#/components/schemas/circle'),
      file: ref('file:///etc/passwd'),
      metadata: ref('http://169.254.169.254/latest'),
      peer: ref(`${peer.url}/schema.json`),
    };
    const circle = ref('#/components/schemas/circle');
    const before = peer.calls.length;
    const api = await imported(manager, {
      document: documentOf({ '/a': post('a', fields) }, { components: { schemas: { ...schemas, l40: TEXT, circle } } }),
    });
    expect(api).toMatchObject({ state: 'ready', report: { operations: 1 } });
    const paths = JSON.stringify(api.report?.warnings);
    for (const name of ['file', 'metadata', 'peer', 'circle']) expect(paths).toContain(name);
    expect(peer.calls).toHaveLength(before);
    const [operation] = await stored.find({ apiId: textOf(api.id) }).toArray();
    expect(operation?.argsSchema.length).toBeLessThan(20_000);
  });
});

describe('the link of an API', () => {
  async function link(who: Person, endpoint: string): Promise<string> {
    const body = {
      type: 'x',
      name: 'x',
      kind: 'header',
      settings: { header: 'X-Key' },
      access_token: 'sesame',
      endpoint,
    };
    return textOf((await who.send('POST', '/api/v1/integrations', { body })).body.id);
  }

  it('shows its credential at the origin of its endpoint, and at no other', async () => {
    const elsewhere = await ledgerServer();
    const integrationId = await link(manager, `${peer.url}/v1`);
    peer.answerWith(({ path }) =>
      path === '/away'
        ? { status: 302, headers: { location: `${elsewhere.url}/doc` } }
        : { body: documentOf({ '/a': post('a') }) },
    );
    elsewhere.answerWith(() => ({ body: documentOf({ '/a': post('a') }) }));
    expect(await imported(manager, { url: `${peer.url}/doc` }, { integrationId })).toMatchObject({ state: 'ready' });
    expect(peer.callsTo('/doc').at(-1)?.headers['x-key']).toBe('sesame');
    await imported(manager, { url: `${peer.url}/away` }, { integrationId });
    expect(peer.callsTo('/away').at(-1)?.headers['x-key']).toBe('sesame');
    expect(elsewhere.calls.map(({ headers }) => headers['x-key'])).toEqual([undefined]);
    // the link of the operations, whose document is at another place
    await imported(manager, { url: `${elsewhere.url}/doc` }, { integrationId });
    expect(elsewhere.callsTo('/doc').map(({ headers }) => headers['x-key'])).toEqual([undefined, undefined]);
    elsewhere.answerWith(() => ({ status: 401 }));
    const refused = await imported(manager, { url: `${elsewhere.url}/doc` }, { integrationId });
    expect(textOf(refused.fault)).toMatch(/answered 401, not 200. It was asked without credentials/);
    await elsewhere.close();
  });

  it('must be one that the caller may use', async () => {
    const integrationId = await link(admin, peer.url);
    const body = { name: 'x', source: { url: `${peer.url}/doc` } };
    const mine = await manager.send('POST', PATH, { body: { ...body, integrationId } });
    expect(mine).toMatchObject({ status: 422, body: { code: 'unknown_id' } });
    const id = await give(admin, body.source, { integrationId });
    const moved = await manager.send('POST', `${PATH}/${id}/refresh`, {
      body: { source: { url: `${peer.url}/other` } },
    });
    expect(moved).toMatchObject({ status: 422, body: { code: 'unknown_id' } });
    const free = await give(manager, body.source);
    const taken = await manager.send('PATCH', `${PATH}/${free}`, { body: { integrationId } });
    expect(taken).toMatchObject({ status: 422, body: { code: 'unknown_id' } });
  });
});

describe('APIs of another company', () => {
  it('are not there, for any role', async () => {
    const id = textOf((await imported(admin, { document: documentOf({ '/a': post('a') }) }, { key: 'mine' })).id);
    const { companyId } = (await person('admin')).scope;
    for (const role of ROLES) {
      const stranger = await person(role, companyId);
      for (const [method, path, body] of [
        ['GET', `/${id}`],
        ['GET', '/mine'],
        ['GET', `/${id}/operations`],
        ['GET', `/${id}/operations/a`],
        ['PATCH', `/${id}`, { name: 'x' }],
        ['POST', `/${id}/refresh`, {}],
        ['DELETE', `/${id}`],
      ] as const) {
        const { status } = await stranger.send(method, `${PATH}${path}`, { body });
        expect([403, 404], `${role} ${method} ${path}`).toContain(status);
      }
      const list = await stranger.send('GET', PATH);
      if (list.status === 200) expect(list.body.items).toEqual([]);
    }
    expect((await admin.send('GET', `${PATH}/${id}`)).body).toMatchObject({ name: 'spec', state: 'ready' });
  });

  it('may have the same key', async () => {
    const [one, other] = [await person('admin'), await person('admin')];
    const document = documentOf({ '/a': post('a') });
    await give(one, { document }, { key: 'same' });
    await give(other, { document }, { key: 'same' });
    const again = await one.send('POST', PATH, { body: { name: 'x', key: 'same', source: { document } } });
    expect(again).toMatchObject({ status: 409, body: { code: 'key_taken' } });
  });
});

describe('a company', () => {
  it('has at most 200 APIs, also when several are given at once', async () => {
    const { body } = await admin.send('POST', PATH, { body: { name: 'x', source: { document: '{}' } } });
    const one = await apis.findOne({ _id: textOf(body.id) });
    if (!one) throw new Error('the API is not stored');
    await apis.insertMany(Array.from({ length: 196 }, () => ({ ...one, _id: newId() })));
    const more = await Promise.all(
      Array.from({ length: 6 }, () => admin.send('POST', PATH, { body: { name: 'x', source: { document: '{}' } } })),
    );
    expect(more.map(({ status }) => status).sort()).toEqual([202, 202, 202, 422, 422, 422]);
    expect(more.find(({ status }) => status === 422)?.body).toMatchObject({ code: 'too_many_apis' });
  });
});

describe('a refresh', () => {
  const before = documentOf({ '/a': post('a', { x: TEXT }), '/b': post('b'), '/c': post('c', {}, { y: TEXT }) });
  const after = documentOf({ '/a': post('a', { x: NUMBER }), '/c': post('c', {}, { y: TEXT }), '/d': post('d') });

  it('makes the operations of the new document current, and keeps those that layers may be pinned to', async () => {
    const id = textOf((await imported(manager, { document: before }, { key: 'k' })).id);
    const [a] = await operations(manager, id);
    const asked = await manager.send('POST', `${PATH}/k/refresh`, { body: { source: { document: after } } });
    expect(asked).toMatchObject({ status: 202, body: { state: 'importing' } });
    expect(namesOf(await operations(manager, id))).toEqual(['a', 'b', 'c']);
    await settled(manager, id);
    const list = await operations(manager, id);
    expect(namesOf(list)).toEqual(['a', 'c', 'd']);
    expect(list[0]?.digest).not.toBe(a?.digest);
    const pinned = await manager.send('GET', `${PATH}/${id}/operations/a?digest=${textOf(a?.digest)}`);
    expect(pinned.body).toMatchObject({ current: false, digest: textOf(a?.digest) });
  });

  const called = { api: 'k', operation: 'a' };
  const agent = { integrationId: '0'.repeat(20), model: 'small', instructions: 'Help.', input: 'Do it.' };
  it.each([
    ['a layer', { ref: 'a', appId: 'operation', args: { ...called, input: { body: {} } } }],
    ['an agent', { ref: 'a', appId: 'agent', args: { ...agent, tools: [{ kind: 'operation', ...called }] } }],
  ])(
    'removes none of a former day to which %s is pinned, whatever the key of the API is by now',
    async (_what, layer) => {
      const id = textOf((await imported(admin, { document: before }, { key: 'k' })).id);
      const flow = await admin.send('POST', '/api/v1/flows', { body: { name: 'flow', layers: [layer] } });
      expect(flow.status).toBe(201);
      const [pinned] = await operations(admin, id);
      expect((await admin.send('PATCH', `${PATH}/${id}`, { body: { key: 'other' } })).status).toBe(200);
      await admin.send('POST', `${PATH}/${id}/refresh`, { body: { source: { document: after } } });
      await settled(admin, id);
      await stored.updateMany({ apiId: id, current: false }, { $set: { pastSince: new Date(0) } });
      await admin.send('POST', `${PATH}/${id}/refresh`, { body: { source: { document: after } } });
      await settled(admin, id);
      const past = await stored.find({ apiId: id, current: false }).toArray();
      expect(past.map(({ name, digest }) => [name, digest])).toEqual([['a', textOf(pinned?.digest)]]);
    },
  );

  it('that fails leaves everything as it was', async () => {
    const id = textOf((await imported(manager, { document: before })).id);
    await manager.send('POST', `${PATH}/${id}/refresh`, { body: { source: { document: 'nothing' } } });
    expect(await settled(manager, id)).toMatchObject({ state: 'failed', title: 'Orders', report: { operations: 3 } });
    expect(namesOf(await operations(manager, id))).toEqual(['a', 'b', 'c']);
  });

  it('goes back and forth between two documents without storing an operation twice', async () => {
    const id = textOf((await imported(manager, { document: before })).id);
    for (const document of [after, before, after, before]) {
      await manager.send('POST', `${PATH}/${id}/refresh`, { body: { source: { document } } });
      await settled(manager, id);
    }
    expect(namesOf(await operations(manager, id))).toEqual(['a', 'b', 'c']);
    expect(await stored.countDocuments({ apiId: id })).toBe(5);
  });
});

describe('an API', () => {
  it('takes no further document while more states of its operations are stored than a day may bring', async () => {
    const id = textOf((await imported(admin, { document: documentOf({ '/a': post('a') }) })).id);
    const one = await stored.findOne({ apiId: id });
    if (!one) throw new Error('no operation is stored');
    const past = { ...one, current: false, pastSince: new Date() };
    await stored.insertMany(
      Array.from({ length: 20_001 }, (_, n) => ({ ...past, _id: `${id}:a:${n}`, digest: String(n) })),
    );
    await admin.send('POST', `${PATH}/${id}/refresh`, { body: {} });
    expect(textOf((await settled(admin, id)).fault)).toMatch(/20002 states/);
    await stored.updateMany({ apiId: id, current: false }, { $set: { pastSince: new Date(0) } });
    await admin.send('POST', `${PATH}/${id}/refresh`, { body: {} });
    expect(await settled(admin, id)).toMatchObject({ state: 'ready' });
    expect(await stored.countDocuments({ apiId: id })).toBe(1);
  });
});

describe('the operations of a company', () => {
  it('have at most 512 MB before a further import', async () => {
    const [first, second] = [
      textOf((await imported(admin, { document: documentOf({ '/a': post('a') }) })).id),
      textOf((await imported(admin, { document: documentOf({ '/a': post('a') }) })).id),
    ];
    const { storedBytes = 0 } = (await apis.findOne({ _id: first })) ?? {};
    expect(storedBytes).toBeGreaterThan(500);
    await apis.updateOne({ _id: first }, { $set: { storedBytes: 512 * 1024 * 1024 } });
    await admin.send('POST', `${PATH}/${second}/refresh`, { body: {} });
    expect(textOf((await settled(admin, second)).fault)).toMatch(/have 513 MB; 512 are allowed/);
    // its own are counted anew
    await admin.send('POST', `${PATH}/${first}/refresh`, { body: {} });
    expect(await settled(admin, first)).toMatchObject({ state: 'ready' });
    expect((await apis.findOne({ _id: first }))?.storedBytes).toBe(storedBytes);
  });
});

describe('an API that was deleted', () => {
  it('is gone at once for everyone, and its operations in portions, whenever the scheduler is killed', async () => {
    const document = documentOf({ '/a': post('a') });
    const killed = await killAtEach(async (kill) => {
      const id = textOf((await imported(admin, { document }, { key: 'k' })).id);
      const one = await stored.findOne({ apiId: id });
      if (!one) throw new Error('no operation is stored');
      await stored.insertMany(Array.from({ length: 1_100 }, (_, n) => ({ ...one, _id: `${id}:b:${n}` })));
      expect((await admin.send('DELETE', `${PATH}/k`)).status).toBe(204);
      for (const path of [id, 'k', `${id}/operations`]) {
        expect((await admin.send('GET', `${PATH}/${path}`)).status).toBe(404);
      }
      expect((await admin.send('POST', `${PATH}/${id}/refresh`, { body: {} })).status).toBe(404);
      expect((await admin.send('DELETE', `${PATH}/${id}`)).status).toBe(404);
      expect((await admin.send('GET', PATH)).body).toMatchObject({ total: 0 });
      const process = dying(mongo, kill);
      const own = importer(process.mongo);
      await own.pass().catch(() => undefined);
      await waitFor(async () => process.isDead() || (await apis.findOne({ _id: id })) === null, { what: 'the kill' });
      await own.drain().catch(() => undefined);
      await apis.updateOne({ _id: id, turnAt: { $exists: true } }, { $set: { turnAt: new Date(0) } });
      await isRemoved(id);
      return process.isDead();
    });
    expect(killed).toBeGreaterThan(4);
  });
});

describe('imports in parallel', () => {
  it('are those of each company in turn, however many others have asked for before', async () => {
    const [one, two, last] = [await person('admin'), await person('admin'), await person('admin')];
    const document = documentOf({ '/a': post('a') });
    for (const greedy of [one, two, one, two, one, two]) await give(greedy, { document });
    const id = await give(last, { document });
    const own = importer();
    const hasEnded = (filter: object, count: number) =>
      waitFor(async () => (await apis.countDocuments({ ...filter, state: 'ready' })) === count, {
        what: 'the imports',
      });
    await own.pass();
    await hasEnded({}, 2);
    await own.pass();
    await hasEnded({ _id: id }, 1);
    await own.drain();
  });

  it('of one API by two schedulers end with the document that was asked for last', async () => {
    const documents = Array.from({ length: 6 }, (_, i) =>
      documentOf({ '/a': post('a', { [`f${i}`]: TEXT }), [`/${i}`]: post(`o${i}`) }),
    );
    const id = await give(admin, { document: documents[0] });
    const other = importer();
    for (const document of documents.slice(1)) {
      await Promise.all([
        worker.pass(),
        other.pass(),
        admin.send('POST', `${PATH}/${id}/refresh`, { body: { source: { document } } }),
      ]);
    }
    await waitFor(async () => (await settled(admin, id, other)).state, { what: 'the last one' });
    expect(namesOf(await operations(admin, id))).toEqual(['a', 'o5']);
    const { body } = await admin.send('GET', `${PATH}/${id}/operations/a`);
    expect(JSON.stringify(body.argsSchema)).toContain('f5');
  });

  it('of an API that is deleted meanwhile store nothing', async () => {
    let arrived = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    peer.answerWith(async () => {
      arrived.resolve();
      await goOn.promise;
      return { body: documentOf({ '/a': post('a') }) };
    });
    arrived = Promise.withResolvers<void>();
    const id = await give(admin, { url: `${peer.url}/late` });
    const own = importer();
    await own.pass();
    await arrived.promise;
    expect((await admin.send('DELETE', `${PATH}/${id}`)).status).toBe(204);
    goOn.resolve();
    await own.drain();
    expect((await admin.send('GET', `${PATH}/${id}`)).status).toBe(404);
    await isRemoved(id);
  });
});

describe('a scheduler that is killed in an import', () => {
  it('at any write or read leaves it to the next one, and no operation that is not of one document', async () => {
    const versions = [{ x: TEXT }, { x: NUMBER }];
    const of = (n: number) =>
      documentOf({
        '/a': post('a', versions[n % 2]),
        '/b': post('b'),
        ...(n % 2 === 0 ? { '/c': post('c') } : { '/d': post('d') }),
      });
    const id = textOf((await imported(admin, { document: of(0) })).id);
    let n = 0;
    const killed = await killAtEach(async (kill) => {
      const was = namesOf(await operations(admin, id));
      n += 1;
      await admin.send('POST', `${PATH}/${id}/refresh`, { body: { source: { document: of(n) } } });
      const process = dying(mongo, kill);
      const own = importer(process.mongo);
      await own.pass().catch(() => undefined);
      const isOver = async () => process.isDead() || (await apis.findOne({ _id: id }))?.state !== 'importing';
      await waitFor(isOver, { what: 'the kill' });
      await own.drain().catch(() => undefined);
      const now = namesOf(await operations(admin, id));
      expect([was, ['a', 'b', n % 2 === 0 ? 'c' : 'd']]).toContainEqual(now);
      // the lease of the dead process ends
      await apis.updateOne({ _id: id, turnAt: { $exists: true } }, { $set: { turnAt: new Date(0) } });
      expect(await settled(admin, id)).toMatchObject({ state: 'ready' });
      expect(namesOf(await operations(admin, id))).toEqual(['a', 'b', n % 2 === 0 ? 'c' : 'd']);
      return process.isDead();
    });
    expect(killed).toBeGreaterThan(9);
    expect(await stored.countDocuments({ apiId: id })).toBe(5);
  });

  it('in order is not counted: it was stopped', async () => {
    const called = Promise.withResolvers<void>();
    peer.answerWith(() => {
      called.resolve();
      return new Promise(() => undefined);
    });
    const id = await give(admin, { url: `${peer.url}/never` });
    const own = importer();
    await own.pass();
    await called.promise;
    await own.drain();
    expect(await apis.findOne({ _id: id })).toMatchObject({ state: 'importing', attempts: 0 });
    peer.answerWith(() => ({ body: documentOf({ '/a': post('a') }) }));
    expect(await settled(admin, id)).toMatchObject({ state: 'ready' });
  });

  it('three times gives it up with its reason', async () => {
    const id = await give(admin, { document: documentOf({ '/a': post('a') }) });
    await apis.updateOne({ _id: id }, { $set: { attempts: 3 } });
    expect(textOf((await settled(admin, id)).fault)).toMatch(/begun 3 times/);
  });
});

describe('a document of 12 MB with 1,000 operations', () => {
  it('is imported while requests are answered, and lists stay lists', async () => {
    const operationsOf = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [
        `/o${i}`,
        { ...post(`o${i}`, { x: TEXT }), description: 'x'.repeat(11_800) },
      ]),
    );
    const document = documentOf(operationsOf);
    expect(document.length).toBeGreaterThan(12_000_000);
    peer.answerWith(() => ({ body: document }));
    const id = await give(admin, { url: `${peer.url}/large` });
    const own = importer();
    await own.pass();
    const answers: number[] = [];
    const hasEnded = async () => {
      if ((await apis.findOne({ _id: id }))?.state !== 'importing') return true;
      answers.push((await admin.send('GET', '/api/v1/auth/me')).status);
      return false;
    };
    await waitFor(hasEnded, { what: 'the import' });
    expect(answers.length).toBeGreaterThan(20);
    expect(new Set(answers)).toEqual(new Set([200]));
    expect((await admin.send('GET', `${PATH}/${id}`)).body).toMatchObject({
      state: 'ready',
      report: { operations: 1_000 },
    });
    expect(await operations(admin, id, '?size=200')).toHaveLength(200);
    expect((await admin.send('GET', `${PATH}/${id}/operations`)).body).toMatchObject({ total: 1_000 });
    expect((await admin.send('DELETE', `${PATH}/${id}`)).status).toBe(204);
    await isRemoved(id, own);
    await own.drain();
  });
});

describe('an upload', () => {
  it('that is not kept any more is missed by name', async () => {
    const id = await give(admin, { document: documentOf({ '/a': post('a') }) });
    const { source } = (await apis.findOne({ _id: id })) as { readonly source: { readonly file: string } };
    const file = await new PayloadStore(mongo).userFiles.open(admin.scope, source.file);
    expect(file).not.toBeNull();
    await apis.updateOne({ _id: id }, { $set: { asked: { source: { file: '0'.repeat(24) }, dryRun: false } } });
    expect(textOf((await settled(admin, id)).fault)).toMatch(/upload it again/);
  });
});
