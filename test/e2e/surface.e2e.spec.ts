// Processes of its own: they found the installation on an empty database, all at once.
import type { FlowView, Page } from '@weft/contracts';
import { ApiClient, socketClient } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { openChromium } from '../fixtures/chromium.js';
import { startFleet } from './harness/fleet.js';
import { rawRequest } from './harness/raw-request.js';

// Several of each at once, on an empty database.
const { admin, of, one } = await startFleet({
  apps: ['api', 'api', 'worker', 'realtime', 'scheduler', 'scheduler'],
  onEmptyDatabase: true,
});
const { url } = admin;
const cookie = admin.credentials;
const processes = (['api', 'worker', 'realtime', 'scheduler'] as const).flatMap((app) => of(app));

describe('processes that start together on an empty database', () => {
  it('make the first admin once, and only one of them says so', async () => {
    const announced = processes.filter(({ output }) => output().includes('First admin:'));
    expect(announced).toHaveLength(1);
    const me = await admin.send<{ companies: unknown[]; operator: boolean; roles: unknown }>('GET', '/api/auth/me');
    expect(me.body.companies).toHaveLength(1);
    expect(me.body.operator).toBe(true);
    const second = await new ApiClient(of('api')[1]?.url ?? '').login();
    expect((await second.send('GET', '/api/v1/flows')).status).toBe(200);
  });

  it('show their health to everybody, with the fields of the contract', async () => {
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    const healthy = { status: 'healthy', latency_ms: expect.any(Number) as number };
    for (const process of processes) {
      const client = new ApiClient(process.url);
      for (const path of ['/health', '/api/health', '/health/ready']) {
        expect(await client.send('GET', path)).toMatchObject({
          status: 200,
          body: {
            status: 'healthy',
            version: expect.stringMatching(/^\d+\.\d+\.\d+(\+[0-9a-f]{12})?$/) as string,
            timestamp: time,
            checks: {
              database: healthy,
              config: { loaded_at: time },
              components: { status: 'ok', ai: 'ready', storage: 'ready' },
              queue: healthy,
            },
          },
        });
      }
      expect((await client.send('GET', '/health/live')).status).toBe(200);
    }
  });

  it('show metrics under the names of the contract', async () => {
    const page = async (app: 'api' | 'worker' | 'realtime' | 'scheduler') =>
      (await new ApiClient(one(app).url).send<string>('GET', '/metrics')).body;
    const login = 'weft_http_requests_total{method="POST",path="/api/v1/auth/login",status="200"} ';
    expect((await page('api')).split('\n').filter((line) => line.startsWith(login))).toHaveLength(1);
    const known = ['weft_http_requests_total', 'weft_mongodb_operations_total', 'weft_mongodb_connections_open'];
    for (const app of ['api', 'worker', 'realtime', 'scheduler'] as const) {
      const text = await page(app);
      expect(known.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
    }
    expect(await page('worker')).toContain('# TYPE weft_plays_total counter');
  });

  it('describe themselves in OpenAPI 3.1', async () => {
    const { status, body } = await new ApiClient(url).send<{ openapi: string; paths: object }>(
      'GET',
      '/api/openapi.json',
    );
    expect([status, body.openapi]).toEqual([200, expect.stringMatching(/^3\.1\./)]);
    expect(Object.keys(body.paths)).toContain('/api/v1/flows/{id}/run');
  });
});

describe('a browser', () => {
  it('shows what is at / and the reference of the API, with nothing from elsewhere and nothing that their policies refuse', async () => {
    const browser = await openChromium();
    try {
      const page = await browser.newPage();
      const faults: string[] = [];
      // Chromium reports the answer to the question who is signed in: nobody
      const isAnswer = (text: string): boolean => text.includes('the server responded with a status of 401');
      page.on('console', (message) => {
        if (message.type() === 'error' && !isAnswer(message.text())) faults.push(message.text());
      });
      page.on('pageerror', ({ message }) => faults.push(message));
      page.on('request', (request) => {
        if (!request.url().startsWith(url) && !request.url().startsWith('data:')) faults.push(request.url());
      });
      await page.goto(`${url}/`);
      await expect.poll(() => page.textContent('h1')).toBe('Sign in');
      await page.goto(`${url}/api/docs`);
      await page.click('text=Signing in');
      await page.waitForSelector('.opblock-summary-path[data-path="/api/v1/auth/login"]');
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

describe('a path', () => {
  it('has one spelling, and needs a credential in every other that reaches a handler', async () => {
    for (const method of ['GET', 'HEAD']) {
      for (const path of ['/api/v1/flows', '/api/flows', '/api/v1/%66lows', '/api/v1/admin/%61pi-keys']) {
        expect([method, path, (await rawRequest(url, path, { method })).status]).toEqual([method, path, 401]);
      }
      const unknown = ['//api/v1/flows', '/api/v1/flows/', '/API/v1/flows', '/api/v1/flows;x', '/api/v1/./flows'];
      for (const path of [...unknown, '/api/v1/%2e%2e/v1/flows', '/api/v1%2fflows', `http://elsewhere/api/v1/none`]) {
        const answer = await rawRequest(url, path, { method, headers: cookie });
        expect([method, path, answer.status]).toEqual([method, path, 404]);
      }
    }
  });

  it('says which methods it takes', async () => {
    for (const [method, path] of [
      ['PUT', '/api/v1/auth/login'],
      ['DELETE', '/api/plays'],
      ['PATCH', '/health'],
    ] as const) {
      const answer = await rawRequest(url, path, { method, headers: cookie });
      expect([path, answer.status, answer.code]).toEqual([path, 405, 'method_not_allowed']);
      expect(answer.headers.allow).toMatch(/GET|POST/);
    }
  });

  it('refuses what is too long to be read with a problem like any other', async () => {
    const answer = await rawRequest(url, `/api/v1/flows?q=${'x'.repeat(17_000)}`, { headers: cookie });
    expect([answer.status, answer.code]).toEqual([431, 'headers_too_large']);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 431, retryable: false, errors: [] });
    expect((JSON.parse(answer.text) as { detail: string }).detail).toContain('16 KB');
  });

  it('answers HEAD as GET without the body', async () => {
    const headers = { ...cookie };
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => rawRequest(url, '/api/v1/flows', { method, headers })),
    );
    expect([head?.status, head?.text]).toEqual([200, '']);
    expect(head?.headers['content-type']).toBe(get?.headers['content-type']);
  });
});

describe('a cookie', () => {
  const EVIL: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'same-site' },
  ];

  it('does not speak for pages of other sites, neither in requests nor on sockets', async () => {
    const { token } = await admin.createApiKey();
    const flow = await admin.createFlow();
    const { playId } = await admin.run(flow.id);
    const watch = `${one('realtime').url}/ws/plays/${playId}`;
    for (const headers of EVIL) {
      expect((await admin.send('POST', '/api/flows', { name: 'x' }, headers)).body).toMatchObject({
        code: 'cross_site',
      });
      const bearer = await admin.withKey(token).send('POST', '/api/flows', { name: 'x' }, headers);
      expect(bearer.status).toBe(201);
      const socket = socketClient(watch, { headers: { ...cookie, ...headers } });
      await expect(socket.opened).rejects.toThrow();
      expect(socket.refusedWith()).toBe(403);
    }
  });

  it('is new with each login, dead after the logout, and stands with the attributes of the contract', async () => {
    const mine = await new ApiClient(url).login();
    expect(mine.credentials.cookie).not.toBe(cookie.cookie);
    const out = await mine.send('POST', '/auth/logout');
    expect(out.status).toBe(204);
    expect(String(out.headers['set-cookie'])).toMatch(/^sid=;/);
    expect((await mine.send('GET', '/api/auth/me')).status).toBe(401);
    const login = await new ApiClient(url).send('POST', '/api/v1/auth/login', {
      username: 'admin@weft.test',
      password: 'wrong horse battery',
    });
    expect(login).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
  });
});

describe('flows', () => {
  it('are made with a Location, changed under their version, and deleted once', async () => {
    const made = await admin.send<FlowView>('POST', '/api/flows', { name: 'One' });
    const path = `/api/v1/flows/${made.body.id}`;
    expect([made.status, made.headers.location]).toEqual([201, path]);
    const read = await admin.send<FlowView>('GET', path);
    expect(read.headers.etag).toBe('"1"');
    expect(read.body).toMatchObject({ enabled: true, category: '', isBlueprint: false, layers: [], groupId: null });
    const changed = await admin.send<FlowView>('PUT', path, { name: 'Two' }, { 'if-match': '"1"' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Two', version: 2 } });
    const late = await admin.send('PUT', path, { name: 'Three' }, { 'if-match': '"1"' });
    expect(late).toMatchObject({ status: 412, body: { code: 'version_conflict' } });
    expect((await admin.send('DELETE', path)).status).toBe(204);
    expect((await admin.send('DELETE', path)).status).toBe(404);
  });

  it('are listed newest first, in pages, and odd queries are refused', async () => {
    const names = ['a', 'b', 'c'];
    for (const name of names) await admin.createFlow({ name, category: 'paged' });
    const list = async (query: string) =>
      (await admin.send<Page<FlowView>>('GET', `/api/flows?category=paged&${query}`)).body;
    const first = await list('size=2');
    expect(first).toMatchObject({ page: 0, size: 2, total: 3, totalCapped: false });
    expect(first.items.map(({ name }) => name)).toEqual(['c', 'b']);
    const rest = await list(`size=2&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
    expect(rest.items.map(({ name }) => name)).toEqual(['a']);
    expect(rest.nextCursor).toBeNull();
    expect((await list('size=2&page=1')).items).toEqual(rest.items);
    for (const query of [
      'size=0',
      'size=201',
      'page=-1',
      'page=x',
      'sort=name',
      'enabled=maybe',
      'size=1&size=2',
      'q[$ne]=x',
    ]) {
      expect([query, (await admin.send('GET', `/api/flows?${query}`)).body]).toMatchObject([
        query,
        { code: 'invalid_query' },
      ]);
    }
  });
});
