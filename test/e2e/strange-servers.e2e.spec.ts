/** Servers of one company that are as bad as they can be, and what the others, the logs and all roles notice of it. */
import { ROLES } from '@weft/access';
import { rawServer, waitFor, type ApiClient } from '@weft/testing';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import * as mysql from '../../libs/layers/src/sql/mysql/mysql-server.fixture.js';
import * as postgres from '../../libs/layers/src/sql/postgres/database-server.fixture.js';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany, signedIn } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin, ledger } = fleet;
const stranger = await neighbourCompany(fleet);
const { company_id: companyId } = await admin.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me');
const SECRET = 'canary-of-a-link-51c0';
const METADATA = 'http://169.254.169.254/latest/meta-data';
const MB = 1024 * 1024;

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function httpServer(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => answer(request, response, body));
    response.on('error', () => response.destroy());
  }).listen(0, '127.0.0.1');
  await new Promise((listens) => server.once('listening', listens));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function linkTo(endpoint: string, fields: object): Promise<string> {
  const body = { type: 'strange', name: 'Strange', endpoint, ...fields };
  return (await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', body)).id;
}

/** How the only layer of a play ended. */
async function ended(appId: string, args: object) {
  const flow = await admin.createFlow({ layers: [{ ref: 'call', appId, args, timeoutMs: 4_000 }] });
  const { playId } = await admin.run(flow.id);
  await admin.waitForPlay(playId);
  const [layer] = await admin.layers(playId);
  return { ...layer, playId };
}

/** Somebody else's work meanwhile: how long a play takes that calls nobody. */
async function neighbourMs(): Promise<number> {
  const layers = [{ ref: 'say', appId: 'text-template', args: { template: 'hello' } }];
  const flow = await stranger.createFlow({ layers });
  const begun = performance.now();
  const { playId } = await stranger.run(flow.id);
  await stranger.waitForPlay(playId, { state: 'DONE' });
  return performance.now() - begun;
}

function memoryMb(): Record<string, number> {
  return Object.fromEntries(
    (['api', 'worker', 'scheduler'] as const).map((app) => {
      const status = readFileSync(`/proc/${fleet.one(app).pid}/status`, 'utf8');
      return [app, Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024];
    }),
  );
}

/** Rows for as long as anybody reads. */
function floodOf(begin: Buffer, rows: () => Buffer) {
  return (socket: { write(bytes: Buffer, done?: () => void): unknown; destroyed: boolean }): void => {
    socket.write(begin);
    const go = (): void => void (socket.destroyed || socket.write(rows(), () => setImmediate(go)));
    go();
  };
}

const databases: readonly (readonly [string, 'mysql' | 'postgres', () => Promise<{ readonly port: number }>])[] = [
  [
    'floods with rows',
    'postgres',
    () =>
      postgres.talkingServer(
        floodOf(Buffer.concat([postgres.message('1'), postgres.message('2'), postgres.ONE_COLUMN]), () =>
          postgres.row('x'.repeat(60_000)),
        ),
      ),
  ],
  ['hangs in the login', 'postgres', () => rawServer(() => undefined)],
  [
    'repeats the password in an error',
    'postgres',
    () =>
      postgres.talkingServer(
        (socket) =>
          void socket.write(postgres.message('E', 'SERROR\0', 'C42601\0', `Mnear ${SECRET}\0`, `D${SECRET}\0`, '\0')),
      ),
  ],
  [
    'asks for a file of the worker',
    'mysql',
    () => mysql.talkingServer((socket) => void socket.write(mysql.packet(1, 0xfb, '/etc/passwd'))),
  ],
  [
    'has two columns with the password as their names',
    'mysql',
    () =>
      mysql.talkingServer((socket) => {
        const names = [mysql.column(2, SECRET), mysql.column(3, SECRET), mysql.end(4)];
        socket.write(Buffer.concat([mysql.packet(1, 2), ...names]));
      }),
  ],
];

describe('a database', () => {
  it.each(databases)('%s: the play fails by itself, and nobody else waits', async (_what, engine, start) => {
    const { port } = await start();
    const secrets = { kind: 'basic', username: 'weft', password: SECRET, settings: { tls: 'off' } };
    const integrationId = await linkTo(`${engine}://127.0.0.1:${port}/shop`, secrets);
    const [layer, ms] = await Promise.all([
      ended('sql', { integrationId, statement: 'select a from t', timeoutMs: 3_000 }),
      neighbourMs(),
    ]);
    expect(layer.state).toBe('FAIL');
    expect(ms).toBeLessThan(3_000);
    expect(JSON.stringify(layer)).not.toMatch(/canary|root:/);
  });
});

describe('a storage', () => {
  const elements = `<ListBucketResult>${'<Contents><Key>k</Key></Contents>'.repeat(200_000)}</ListBucketResult>`;
  it.each([
    ['leads to the metadata of a cloud', (_request, response) => response.writeHead(307, { location: METADATA }).end()],
    ['lists a bomb of elements', (_request, response) => response.end(elements)],
    ['nests elements without end', (_request, response) => response.end('<a>'.repeat(2 * MB))],
    [
      'expands entities',
      (_request, response) => response.end(`<!DOCTYPE x [<!ENTITY a "b">]><x>${'&a;'.repeat(MB)}</x>`),
    ],
    [
      'says that a list goes on for ever',
      (_request, response) => {
        const item = '<Contents><Key>same</Key></Contents>';
        response.end(`<ListBucketResult><IsTruncated>true</IsTruncated>${item}</ListBucketResult>`);
      },
    ],
  ] satisfies readonly (readonly [string, Answer])[])('%s', async (what, answer) => {
    const endpoint = await httpServer(answer);
    const secrets = { access_key_id: 'AKIAEXAMPLE', secret_access_key: SECRET };
    const settings = { region: 'eu-central-1', service: 's3' };
    const integrationId = await linkTo(endpoint, { kind: 'aws_sigv4', secrets, settings });
    const pages = what.includes('for ever') ? { paginate: { maxPages: 5 } } : {};
    const layer = await ended('s3', { integrationId, op: 'list', bucket: 'bucket', ...pages });
    expect(layer.state).toBe('FAIL');
    expect(JSON.stringify(layer)).not.toContain(SECRET);
  });
});

interface Imported {
  readonly id: string;
  readonly state: string;
  readonly fault: string | null;
}

async function imported(path: string, body: object): Promise<Imported> {
  const { id } = await admin.must<Imported>(202, 'POST', path, body);
  const read = () => admin.must<Imported>(200, 'GET', `${path}/${id}`);
  await waitFor(async () => (await read()).state !== 'importing', { what: 'the end of the import', withinMs: 60_000 });
  return read();
}

describe('an MCP server', () => {
  it.each([
    ['leads to the metadata of a cloud', (_request, response) => response.writeHead(307, { location: METADATA }).end()],
    [
      'answers in a stream that never ends',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const go = (): void =>
          void (response.destroyed || response.write(`: ${'x'.repeat(60_000)}\n\n`, () => setImmediate(go)));
        go();
      },
    ],
    [
      'lists another thousand tools on each page',
      (_request, response, body) => {
        const { id, method, params } = JSON.parse(body || '{}') as {
          id?: number;
          method?: string;
          params?: { cursor?: string };
        };
        const page = Number(params?.cursor ?? 0);
        const tools = Array.from({ length: 1_000 }, (_, i) => ({
          name: `t${page}-${i}`,
          inputSchema: { type: 'object' },
        }));
        const hello = {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'x', version: '1' },
        };
        const result = method === 'tools/list' ? { tools, nextCursor: String(page + 1) } : hello;
        if (id === undefined) return response.writeHead(202).end();
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      },
    ],
  ] satisfies readonly (readonly [string, Answer])[])('%s: its tools are not read', async (_what, answer) => {
    const url = await httpServer(answer);
    const integrationId = await linkTo(url, { access_token: SECRET });
    const [server, ms] = await Promise.all([
      imported('/api/v1/mcp-servers', { name: 'Strange', url: `${url}/mcp`, integrationId, era: '2025' }),
      neighbourMs(),
    ]);
    expect(server.state).toBe('failed');
    expect(server.fault).not.toMatch(/canary|169\.254/);
    expect(ms).toBeLessThan(3_000);
  });
});

describe('a document', () => {
  const levels = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => {
      const next = { $ref: `#/components/schemas/l${i + 1}` };
      return [`l${i}`, { type: 'object', properties: { x: next, y: next } }];
    }),
  );
  const schemas = { ...levels, l40: { $ref: '#/components/schemas/l40' }, far: { $ref: `${METADATA}#/x` } };
  const ref = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const document = (more: object = {}): string =>
    JSON.stringify({
      ...{
        openapi: '3.1.0',
        info: { title: 'Strange', version: '1' },
        servers: [{ url: METADATA }],
        components: { schemas },
      },
      paths: {
        '/bomb': { post: { operationId: 'bomb', requestBody: ref('l0'), responses: { 200: { description: 'ok' } } } },
        '/far': { get: { operationId: 'far', responses: { 200: { description: 'ok', ...ref('far') } } } },
      },
      ...more,
    });

  it('of bombs, circles and references to the metadata of a cloud becomes small operations, which reach nothing', async () => {
    const source = { url: `${await httpServer((_request, response) => response.end(document()))}/d.json` };
    const api = await imported('/api/v1/apis', { name: 'Bomb', key: 'bomb', source });
    expect(api).toMatchObject({ state: 'ready', fault: null });
    const integrationId = await linkTo(ledger.url, { access_token: SECRET });
    const layer = await ended('operation', { api: 'bomb', operation: 'far', auth: { integrationId } });
    expect(layer).toMatchObject({ state: 'FAIL', error: { code: 'destination_blocked' } });
  });

  it('of more than 16 MB is refused, and one of 15 MB leaves the others their time', async () => {
    const large = (bytes: number) => document({ 'x-padding': 'x'.repeat(bytes) });
    const at = await httpServer(({ url }, response) => response.end(large(url === '/over' ? 17 * MB : 15 * MB)));
    const over = await imported('/api/v1/apis', { name: 'Over', source: { url: `${at}/over` } });
    expect(over).toMatchObject({ state: 'failed', fault: expect.stringContaining('output_too_large') as string });
    const [under, ms] = await Promise.all([
      imported('/api/v1/apis', { name: 'Under', source: { url: `${at}/under` } }),
      neighbourMs(),
    ]);
    expect(under.state).toBe('ready');
    expect(ms).toBeLessThan(3_000);
  });
});

describe('after all of that', () => {
  it('no role of the company reads a secret, and no role of another one finds anything', async () => {
    const links = await admin.must<{ items: { id: string }[] }>(200, 'GET', '/api/v1/integrations?size=100');
    const servers = await admin.must<{ items: { id: string }[] }>(200, 'GET', '/api/v1/mcp-servers?size=100');
    const paths = [
      ...links.items.map(({ id }) => `/api/v1/integrations/${id}`),
      ...servers.items.map(({ id }) => `/api/v1/mcp-servers/${id}`),
    ];
    expect(paths.length).toBeGreaterThan(10);
    const read = async (by: ApiClient) => Promise.all(paths.map((path) => by.send('GET', path)));
    for (const role of ROLES) {
      const own = await read(await signedIn(fleet, role, companyId));
      expect(JSON.stringify(own)).not.toContain(SECRET);
      const others = await read(
        role === 'admin' ? stranger : await signedIn(fleet, role, (await me(stranger)).company_id),
      );
      expect(others.filter(({ status }) => status < 400)).toEqual([]);
    }
    const [first] = links.items;
    for (const [path, body] of [
      ['/api/v1/apis', { name: 'Theirs', source: { url: ledger.url }, integrationId: first?.id }],
      ['/api/v1/mcp-servers', { name: 'Theirs', url: ledger.url, integrationId: first?.id }],
      ['/api/v1/integrations/connect', { integration_id: first?.id }],
    ] as const) {
      expect(await stranger.send('POST', path, body)).toMatchObject({ status: 422, body: { code: 'unknown_id' } });
    }
  });

  it('every process is alive, none has grown without bound, and no log has a secret', () => {
    for (const [app, mb] of Object.entries(memoryMb())) expect(mb, app).toBeLessThan(700);
    for (const app of ['api', 'worker', 'realtime', 'scheduler'] as const) {
      expect(fleet.one(app).output()).not.toContain(SECRET);
    }
  });
});

function me(by: ApiClient): Promise<{ company_id: string }> {
  return by.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me');
}
