import type { FlowView, PlayLayerView } from '@weft/contracts';
import { waitFor, type ApiClient, type LedgerAnswer, type LedgerCall } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin, ledger } = fleet;
const SECRET = 'secret-of-the-shop-77aa';

interface Api {
  readonly id: string;
  readonly state: string;
  readonly fault: string | null;
}

const documents = new Map<string, object>();
const answers = new Map<string, (call: LedgerCall) => LedgerAnswer>();
ledger.answerWith((call) => {
  const { pathname } = new URL(call.path, ledger.url);
  const document = documents.get(pathname);
  if (document) return { body: document };
  return answers.get(pathname)?.(call) ?? { body: { path: call.path, headers: call.headers } };
});

async function ready(id: string, by = admin): Promise<void> {
  const read = async (): Promise<boolean> => {
    const { state, fault } = await by.must<Api>(200, 'GET', `/api/v1/apis/${id}`);
    if (state === 'failed') throw new Error(`the import failed: ${fault}`);
    return state === 'ready';
  };
  await waitFor(read, { what: 'the API to be imported' });
}

/** The API of a document that the ledger serves; or, with the same key, what a refresh makes of it. */
async function importApi(key: string, document: object): Promise<string> {
  documents.set(`/${key}.json`, document);
  const source = { url: `${ledger.url}/${key}.json` };
  const { id } = await admin.must<Api>(202, 'POST', '/api/v1/apis', { name: key, key, source });
  await ready(id);
  return id;
}

const documentOf = (paths: object, servers: readonly object[] = [{ url: ledger.url }]) => ({
  ...{ openapi: '3.1.0', info: { title: 'Shop', version: '1' }, servers, paths },
});
const OK = { 200: { description: 'Done.', content: { 'application/json': { schema: {} } } } };

async function flowOf(layers: readonly { readonly ref: string; readonly args: object }[], by: ApiClient = admin) {
  return by.createFlow({ layers: layers.map((layer) => ({ appId: 'operation', ...layer })) });
}

async function run({ id }: Pick<FlowView, 'id'>, args: object = {}): Promise<readonly PlayLayerView[]> {
  const { playId } = await admin.run(id, { args: { ...args } });
  await admin.waitForPlay(playId);
  return admin.layers(playId);
}

async function runOne(args: object, given: object = {}): Promise<PlayLayerView | undefined> {
  return (await run(await flowOf([{ ref: 'call', args }]), given))[0];
}

const link = async (fields: object = {}): Promise<string> => {
  const body = { ...{ type: 'shop', name: 'Shop', endpoint: ledger.url, access_token: SECRET }, ...fields };
  return (await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', body)).id;
};

const [TEXT, LIST, OBJECT] = ['blue', ['blue', 'black'], { R: 100, G: 200 }];
/** OpenAPI 3.1, section 4.8.12; the values of a text, a list and an object, as they arrive. */
const STYLES = [
  ['path', 'matrix', false, ';v=blue', ';v=blue,black', ';v=R,100,G,200'],
  ['path', 'matrix', true, ';v=blue', ';v=blue;v=black', ';R=100;G=200'],
  ['path', 'label', false, '.blue', '.blue,black', '.R,100,G,200'],
  ['path', 'label', true, '.blue', '.blue.black', '.R=100.G=200'],
  ['path', 'simple', false, 'blue', 'blue,black', 'R,100,G,200'],
  ['path', 'simple', true, 'blue', 'blue,black', 'R=100,G=200'],
  ['query', 'form', false, 'v=blue', 'v=blue,black', 'v=R,100,G,200'],
  ['query', 'form', true, 'v=blue', 'v=blue&v=black', 'R=100&G=200'],
  ['query', 'spaceDelimited', false, 'v=blue', 'v=blue%20black', 'v=R%20100%20G%20200'],
  ['query', 'pipeDelimited', false, 'v=blue', 'v=blue%7Cblack', 'v=R%7C100%7CG%7C200'],
  ['query', 'deepObject', true, 'v=blue', 'v%5B0%5D=blue&v%5B1%5D=black', 'v%5BR%5D=100&v%5BG%5D=200'],
  ['header', 'simple', false, 'blue', 'blue,black', 'R,100,G,200'],
  ['header', 'simple', true, 'blue', 'blue,black', 'R=100,G=200'],
  ['cookie', 'form', false, 'v=blue', 'v=blue,black', 'v=R,100,G,200'],
  ['cookie', 'form', true, 'v=blue', 'v=blue; v=black', 'R=100; G=200'],
] as const;
const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;

describe('a play that calls operations', () => {
  it('writes each style of a parameter as the document says, to the byte', async () => {
    const nameOf = (place: string, style: string, explode: boolean) =>
      `${place}-${style}-${explode ? 'each' : 'joined'}`;
    const paths = Object.fromEntries(
      STYLES.map(([place, style, explode]) => {
        const operationId = nameOf(place, style, explode);
        const parameters = [{ name: 'v', in: place, required: place === 'path', style, explode, schema: {} }];
        return [
          `/${operationId}${place === 'path' ? '/{v}/end' : ''}`,
          { get: { operationId, parameters, responses: OK } },
        ];
      }),
    );
    await importApi('styles', documentOf(paths));
    const values = { text: TEXT, list: LIST, object: OBJECT };
    const cases = STYLES.flatMap(([place, style, explode, ...expected]) =>
      Object.keys(values).map((kind, i) => ({
        place,
        name: nameOf(place, style, explode),
        kind,
        expected: expected[i],
      })),
    );
    const flow = await flowOf(
      cases.map(({ place, name, kind }) => {
        const input = { [GROUPS[place]]: { v: `{{ $prev.args.${kind} }}` } };
        return { ref: `${name}-${kind}`, args: { api: 'styles', operation: name, input } };
      }),
    );
    const layers = await run(flow, values);
    expect(layers.filter(({ state }) => state !== 'DONE')).toEqual([]);
    const arrived = layers.map(({ ref, out }, i) => {
      const { path, headers } = (out as { body: { path: string; headers: Record<string, string> } }).body;
      const { place = 'path', name = '' } = cases[i] ?? {};
      const [before, query = ''] = path.split('?');
      const sent = {
        path: before?.slice(name.length + 2, -'/end'.length),
        query,
        header: headers.v,
        cookie: headers.cookie,
      };
      return [ref, sent[place]];
    });
    expect(arrived).toEqual(cases.map(({ name, kind, expected }) => [`${name}-${kind}`, expected]));
  });

  it('sends what an expression gives percent-encoded, and never to another operation', async () => {
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    await importApi(
      'orders',
      documentOf({ '/orders/{id}/lines': { get: { operationId: 'lines', parameters, responses: OK } } }),
    );
    const args = { api: 'orders', operation: 'lines', input: { path: { id: '{{ $prev.args.id }}' } } };
    const done = await runOne(args, { id: 'a/b?c#d é' });
    expect((done?.out as { body: { path: string } }).body.path).toBe('/orders/a%2Fb%3Fc%23d%20%C3%A9/lines');
    for (const id of ['..', '.', '', 7]) {
      expect(await runOne(args, { id })).toMatchObject({ state: 'FAIL', error: { code: 'invalid_args' } });
    }
    expect(ledger.callsTo('/lines')).toEqual([]);
  });

  it('sends forms and files, and keeps an answer that is not text as a file', async () => {
    const schema = {
      type: 'object',
      properties: { title: { type: 'string' }, file: { type: 'string', format: 'binary' } },
    };
    const upload = {
      operationId: 'upload',
      requestBody: { required: true, content: { 'multipart/form-data': { schema } } },
      responses: OK,
    };
    const form = {
      operationId: 'form',
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': {
            schema: {
              type: 'object',
              properties: { tags: { type: 'array', items: { type: 'string' } }, of: { type: 'object' } },
            },
          },
        },
      },
      responses: OK,
    };
    answers.set('/uploads', ({ body }) => ({ body: { received: body } }));
    answers.set('/form', ({ body, headers }) => ({ body: { received: body, type: headers['content-type'] } }));
    const photo = { operationId: 'photo', responses: { 200: { content: { 'image/png': {} } } } };
    answers.set('/photo', () => ({ headers: { 'content-type': 'image/png' }, body: 'not much of a picture' }));
    await importApi(
      'files',
      documentOf({ '/uploads': { post: upload }, '/form': { post: form }, '/photo': { get: photo } }),
    );
    const kept = await runOne({ api: 'files', operation: 'photo' });
    expect(kept?.out).toMatchObject({
      body: { $ref: expect.any(String) as string, bytes: 21, contentType: 'image/png' },
    });
    expect(kept?.out).not.toHaveProperty('unexpected');
    const file = { content: 'a;b\r\n1;2', filename: 'a.csv', contentType: 'text/csv' };
    const sent = await runOne({ api: 'files', operation: 'upload', input: { body: { title: 'List', file } } });
    const { received } = (sent?.out as { body: { received: string } }).body;
    expect(received).toContain(
      'Content-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\na;b\r\n1;2\r\n',
    );
    expect(received).toContain('name="title"\r\n\r\nList\r\n');
    const posted = await runOne({
      api: 'files',
      operation: 'form',
      input: { body: { tags: ['a b', 'c'], of: { x: 1 } } },
    });
    expect(posted?.out).toMatchObject({
      body: { received: 'tags=a%20b&tags=c&of=%7B%22x%22%3A1%7D', type: 'application/x-www-form-urlencoded' },
    });
  });

  it('gives a large answer its type, too', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'x'.repeat(40) }));
    answers.set('/rows', () => ({ body: rows }));
    await importApi('large', documentOf({ '/rows': { get: { operationId: 'rows', responses: OK } } }));
    const flow = await admin.createFlow({
      layers: [
        { ref: 'rows', appId: 'operation', args: { api: 'large', operation: 'rows' } },
        {
          ref: 'tell',
          appId: 'text-template',
          args: { template: '{{ .rows.body[19999].id }} {{ .rows.statusCode }}' },
        },
      ],
    });
    expect((await run(flow))[1]).toMatchObject({ state: 'DONE', out: { text: '19999 200' } });
  });

  it('shows its link at the origin of its endpoint alone', async () => {
    const paths = { '/me': { get: { operationId: 'me', responses: OK } } };
    await importApi('linked', documentOf(paths));
    const args = { api: 'linked', operation: 'me' };
    const shown = await runOne({ ...args, auth: { integrationId: await link() } });
    expect(shown?.out).toMatchObject({ body: { headers: { authorization: 'Bearer [secret]' } } });
    const elsewhere = await link({ endpoint: 'https://shop.example.com' });
    const before = ledger.callsTo('/me').length;
    const blocked = await runOne({ ...args, auth: { integrationId: elsewhere } });
    expect(blocked).toMatchObject({ state: 'FAIL', error: { code: 'destination_blocked' } });
    expect(ledger.callsTo('/me')).toHaveLength(before);
    expect(JSON.stringify(blocked)).not.toContain(SECRET);
  });
});

describe('an answer that does not fit its document', () => {
  it('is noted in the play, counted for the operator, and named in the log', async () => {
    const order = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
    const responses = { 200: { description: 'Done.', content: { 'application/json': { schema: order } } } };
    answers.set('/fits', () => ({ body: { id: 1 } }));
    answers.set('/odd', () => ({ body: { id: 'secret-id' } }));
    const get = (operationId: string) => ({ get: { operationId, responses } });
    await importApi('odd', documentOf({ '/fits': get('fits'), '/odd': get('odd') }));
    const flow = await flowOf(
      ['fits', 'odd'].map((operation) => ({ ref: operation, args: { api: 'odd', operation } })),
    );
    const [fits, odd] = await run(flow);
    expect(fits?.out).not.toHaveProperty('unexpected');
    expect(odd?.out).toMatchObject({ unexpected: [{ path: expect.stringContaining('id') as string }] });
    const worker = fleet.one('worker');
    const page = await fetch(`${worker.url}/metrics`).then((answer) => answer.text());
    expect(page).toContain(`weft_unexpected_answers_total{flow_id="${flow.id}"} 1`);
    const lines = worker.output().split('\n');
    const [line = '', ...more] = lines.filter((each) => each.includes('an answer did not fit its schema'));
    expect(more).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ flow_id: flow.id, ref: 'odd', app_id: 'operation' });
    expect(line).not.toContain('secret-id');
  });
});

describe('a refresh', () => {
  it('changes nothing that runs, not even where its server is; a retry runs what its play ran', async () => {
    const at = (path: string) => documentOf({ [path]: { get: { operationId: 'stock', responses: OK } } });
    const id = await importApi('stock', at('/stock/v1'));
    const flow = await flowOf([{ ref: 'stock', args: { api: 'stock', operation: 'stock' } }]);
    let refusals = 1;
    answers.set('/stock/v1', () => (refusals-- > 0 ? { status: 422, body: {} } : { body: { at: 1 } }));
    const { playId } = await admin.run(flow.id);
    await admin.waitForPlay(playId, { state: 'FAIL' });
    documents.set('/stock.json', at('/stock/v2'));
    await admin.must(202, 'POST', `/api/v1/apis/${id}/refresh`, { dryRun: false });
    await ready(id);
    const retry = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/plays/${playId}/retry`, {});
    await admin.waitForPlay(retry.playId);
    expect((await run(flow))[0]?.out).toMatchObject({ body: { at: 1 } });
    expect(ledger.callsTo('/stock/v1')).toHaveLength(3);
    expect(ledger.callsTo('/stock/v2')).toHaveLength(0);
    const fresh = await flowOf([{ ref: 'stock', args: { api: 'stock', operation: 'stock' } }]);
    await run(fresh);
    expect(ledger.callsTo('/stock/v2')).toHaveLength(1);
  });

  it('of the base address is obeyed by the next play, and of an API that is gone none goes out', async () => {
    const id = await importApi('moved', documentOf({ '/moved': { get: { operationId: 'go', responses: OK } } }));
    const flow = await flowOf([{ ref: 'go', args: { api: 'moved', operation: 'go' } }]);
    expect((await run(flow))[0]?.out).toMatchObject({ body: { path: '/moved' } });
    await admin.must(200, 'PATCH', `/api/v1/apis/${id}`, { baseUrl: `${ledger.url}/own` });
    const isMoved = async () => ledger.callsTo('/own/moved').length > 0 || (await run(flow), false);
    await waitFor(isMoved, { what: 'a play to call the new address' });
    await admin.must(204, 'DELETE', `/api/v1/apis/${id}`);
    const isGone = async () => (await run(flow))[0]?.error?.code === 'api_not_found';
    await waitFor(isGone, { what: 'a play to fail without its API' });
  });
});

describe('another company', () => {
  it('can neither see nor call the API', async () => {
    const id = await importApi('private', documentOf({ '/private': { get: { operationId: 'read', responses: OK } } }));
    const neighbour = await neighbourCompany(fleet);
    for (const api of ['private', id]) {
      expect((await neighbour.send('GET', `/api/v1/modules/operation/face?key=${api}/read`)).status).toBe(404);
      const layers = [{ ref: 'a', appId: 'operation', args: { api, operation: 'read' } }];
      const refused = await neighbour.send<{ errors: unknown }>('POST', '/api/v1/flows', { name: 'x', layers });
      expect([refused.status, refused.body.errors]).toMatchObject([422, [{ path: 'layers.a.args.api' }]]);
    }
  });
});

it('calls Weft itself by its own document', async () => {
  const { id } = await admin.must<Api>(202, 'POST', '/api/v1/apis', {
    ...{ name: 'Weft', key: 'weft', source: { url: `${admin.url}/api/openapi.json` } },
  });
  await ready(id);
  const { token } = await admin.createApiKey({ scope: 'api' });
  const weft = await link({ type: 'weft', endpoint: admin.url, access_token: token });
  const auth = { integrationId: weft };
  const made = { body: { name: 'Made by a flow', category: 'own' } };
  const layers = await run(
    await flowOf([
      { ref: 'make', args: { api: 'weft', operation: 'Flows_create', input: made, auth } },
      {
        ref: 'read',
        args: { api: 'weft', operation: 'Flows_read', input: { path: { id: '{{ .make.body.id }}' } }, auth },
      },
      {
        ref: 'list',
        args: { api: 'weft', operation: 'Flows_list', input: { query: { category: 'own', size: 5 } }, auth },
      },
    ]),
  );
  expect(layers).toMatchObject([
    { state: 'DONE', out: { statusCode: 201, body: { name: 'Made by a flow' } } },
    { state: 'DONE', out: { body: { category: 'own', version: 1 } } },
    { state: 'DONE', out: { body: { items: [{ name: 'Made by a flow' }] } } },
  ]);
  for (const { out } of layers) expect(out).not.toHaveProperty('unexpected');
});
