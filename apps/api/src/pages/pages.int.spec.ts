import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { liveApi } from '../../../../test/api/live-api.js';

const { app, send } = await liveApi();
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE';
const open = (url: string, headers: Readonly<Record<string, string>> = BROWSER, method: Method = 'GET') =>
  app.inject({ method, url, headers });

describe('the dashboard', () => {
  it('is shown to browsers at every address that is not the service’s own', async () => {
    const at = [
      '/',
      '/login?returnTo=%2Fapi%2Fv1%2Fflows',
      '/login?error=denied',
      '/invite?token=x',
      '/plays/06dq~x',
      '/n',
    ];
    for (const url of at) {
      const { statusCode, headers, body } = await open(url);
      expect([url, statusCode, headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8']);
      expect(body).toContain('<div id="root"><p class="loading" role="status">Loading …</p></div>');
    }
    expect((await open('/', BROWSER, 'HEAD')).statusCode).toBe(200);
  });

  it('has nothing of the request in it, runs scripts of this server only, and tells no other site where it was', async () => {
    const canary = '"><script>alert(1)</script>';
    const withoutNonce = ({ body }: { body: string }): string => body.replaceAll(/nonce="[^"]*"/g, '');
    const plain = await open('/');
    for (const url of [`/?x=${encodeURIComponent(canary)}`, `/login?error=${canary}`, `/invite?token=${canary}`]) {
      const shown = await open(url, { ...BROWSER, host: `evil${canary}.example` });
      expect(withoutNonce(shown)).toBe(withoutNonce(plain));
    }
    const policy = String(plain.headers['content-security-policy']);
    const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? [];
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/);
    expect(policy).toContain(`base-uri 'none'; form-action 'none'; frame-ancestors 'none'`);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(plain.body).not.toMatch(/<script(?![^>]* src=)|https?:|__WEFT_NONCE__/);
    expect(plain.body).toContain(`nonce="${nonce}"`);
    expect((await open('/')).headers['content-security-policy']).not.toBe(policy);
    expect(plain.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(plain.headers['cache-control']).toBe('no-store');
  });

  it('has files that browsers keep, compressed for those that take it', async () => {
    const { body } = await open('/');
    const names = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name]) => name ?? '');
    expect(names.filter((name) => name.endsWith('.js'))).not.toEqual([]);
    for (const name of names) {
      const { statusCode, headers } = await open(name, { 'accept-encoding': 'gzip' });
      expect([name, statusCode, headers['cache-control']]).toEqual([name, 200, 'public, max-age=31536000, immutable']);
      expect([name, headers['content-encoding']]).toEqual([name, 'gzip']);
    }
    const absent = ['index.html', 'manifest.json', '..%2Findex.html', '%2e%2e%2findex.html', 'constructor', 'x-0.js'];
    for (const name of absent) {
      const { statusCode, headers } = await open(`/assets/${name}`);
      expect([name, statusCode, headers['cache-control']]).toEqual([name, 404, 'no-store']);
    }
  });

  it('is not shown to programs, for other methods, or at addresses of the service', async () => {
    const problems = await Promise.all([
      open('/plays/1', { accept: 'application/json, text/html;q=0.5' }),
      open('/plays/1', BROWSER, 'POST'),
      ...[
        ...['//', '/%2F', '/login/', '/api', '/api/v1/nowhere', '/auth', '/ws/plays', '/hooks', '/.well-known/x'],
        ...['/assets', '/assets/x', '/health/x', '/metrics/x', '/mcp/x', '/socket.io/', '/approve/x'],
      ].map((url) => open(url)),
    ]);
    expect(problems.map(({ statusCode, headers }) => [statusCode, headers['content-type']])).toEqual(
      problems.map((): unknown[] => [404, expect.stringContaining('application/problem+json')]),
    );
  });
});

describe('/', () => {
  it('tells programs what this is and where to look, whatever they accept', async () => {
    for (const accept of [undefined, '*/*', 'application/json', 'text/plain', 'application/json, text/html;q=0.5']) {
      const { statusCode, headers, body } = await open('/', accept === undefined ? {} : { accept });
      expect([statusCode, headers['content-type'], headers.vary]).toEqual([
        200,
        expect.stringMatching(/json/) as string,
        'accept',
      ]);
      const told = JSON.parse(body) as Record<string, string>;
      expect(told).toEqual({
        ...{ name: 'weft', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string, api: '/api/v1' },
        ...{ docs: '/api/docs', openapi: '/api/openapi.json', health: '/health' },
      });
      for (const path of [told.docs, told.openapi, told.health])
        expect((await open(path ?? '', {})).statusCode).toBe(200);
    }
  });

  it('takes no other method', async () => {
    const { statusCode, headers } = await open('/', BROWSER, 'POST');
    expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD']);
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
      const plain = await open(`/api/docs/${file}`, { 'accept-encoding': 'gzip;q=0, br;q=0' });
      expect([plain.statusCode, plain.headers['content-type']]).toEqual([200, type]);
      for (const [accepted, encoding, unpack] of [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip, br;q=0', 'gzip', gunzipSync],
      ] as const) {
        const packed = await open(`/api/docs/${file}`, { 'accept-encoding': accepted });
        expect(packed.headers['content-encoding']).toBe(encoding);
        expect(unpack(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
      }
    }
  });

  it('serves no other file', async () => {
    for (const file of ['package.json', 'index.html', '..%2Fpackage.json', '%2e%2e%2fpackage.json', 'constructor']) {
      expect([file, (await open(`/api/docs/${file}`)).statusCode]).toEqual([file, 404]);
    }
    expect((await send('POST', '/api/docs')).status).toBe(405);
  });
});
