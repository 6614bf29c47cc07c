import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { liveApi } from '../../../../test/api/live-api.js';

const { app, send } = await liveApi();
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE';
const open = (url: string, headers: Readonly<Record<string, string>> = BROWSER, method: Method = 'GET') =>
  app.inject({ method, url, headers });

describe('the page at /', () => {
  it('is shown to browsers, also where answers of ours send them, with links to the reference', async () => {
    for (const url of ['/', '/login?returnTo=%2Fapi%2Fv1%2Fflows', '/login?error=denied', '/invite?token=x']) {
      const { statusCode, headers, body } = await open(url);
      expect([url, statusCode, headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8']);
      expect(body).toContain('href="/api/docs"');
      expect(body).toContain('href="/api/openapi.json"');
    }
    expect((await open('/', BROWSER, 'HEAD')).statusCode).toBe(200);
  });

  it('has nothing of the request in it, lets no script run, and tells no other site where it was', async () => {
    const canary = '"><script>alert(1)</script>';
    const plain = await open('/');
    for (const url of [`/?x=${encodeURIComponent(canary)}`, `/login?error=${canary}`, `/invite?token=${canary}`]) {
      expect((await open(url, { ...BROWSER, host: `evil${canary}.example` })).body).toBe(plain.body);
    }
    const policy = String(plain.headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'/);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(plain.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(plain.headers['cache-control']).toBe('no-store');
  });

  it('is not shown to programs, for other methods, or at other paths', async () => {
    const problems = await Promise.all([
      open('/', {}),
      open('/', { accept: 'application/json' }),
      open('/', { accept: '*/*' }),
      open('/', { accept: 'application/json, text/html;q=0.5' }),
      open('/', BROWSER, 'POST'),
      open('/', BROWSER, 'DELETE'),
      open('/nowhere'),
      open('//'),
      open('/%2F'),
      open('/LOGIN'),
      open('/login/'),
      open('/api'),
      open('/ws/plays'),
      open('/hooks/x'),
      open('/.well-known/x'),
    ]);
    expect(problems.map(({ statusCode, headers }) => [statusCode, headers['content-type']])).toEqual(
      problems.map((): unknown[] => [404, expect.stringContaining('application/problem+json')]),
    );
  });
});

describe('the reference at /api/docs', () => {
  it('is one page of this server with two files of this server', async () => {
    const { statusCode, headers, body } = await open('/api/docs');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[^;]*';/);
    const links = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link);
    expect(links).toEqual(['data:,', 'docs/swagger-ui.css', 'openapi.json', 'docs/swagger-ui-bundle.js']);
    for (const [file, type] of [
      ['swagger-ui.css', 'text/css; charset=utf-8'],
      ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ] as const) {
      const zipped = await open(`/api/docs/${file}`, { 'accept-encoding': 'gzip, br' });
      expect([zipped.statusCode, zipped.headers['content-type']]).toEqual([200, type]);
      expect(zipped.headers['content-encoding']).toBe('gzip');
      const plain = await open(`/api/docs/${file}`, { 'accept-encoding': 'gzip;q=0' });
      expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
    }
  });

  it('serves no other file', async () => {
    for (const file of ['package.json', 'index.html', '..%2Fpackage.json', '%2e%2e%2fpackage.json', 'constructor']) {
      expect([file, (await open(`/api/docs/${file}`)).statusCode]).toEqual([file, 404]);
    }
    expect((await send('POST', '/api/docs')).status).toBe(405);
  });
});
