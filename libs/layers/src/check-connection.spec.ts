import { createEgressClient, createEgressDialer } from '@weft/egress';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { checkConnection } from './check-connection.js';
import { mailServer } from './modules/email/mail-server.fixture.js';

const allow = [{ cidr: '127.0.0.1/32', port: null }];
const ways = { http: createEgressClient({ allow }), sockets: createEgressDialer({ allow }) };
const LARGE = `{"data":${'['.repeat(1024 * 1024)}`;
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
  const status = Number(/^\/(\d+)/.exec(request.url ?? '')?.[1]);
  if (request.url === '/200/large/models') return void response.writeHead(200).end(LARGE);
  response.writeHead(status).end(status === 200 ? '{"data":[{"id":"m"},{"id":"n"}]}' : 's3cret');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const host = `127.0.0.1:${port}`;
afterAll(async () => {
  await ways.http.close();
  server.close();
});
const check = (endpoint: string | null, secret: string, type = 'thing') =>
  checkConnection({ type, endpoint, secret }, ways);

describe('the check of a connection', () => {
  it('logs in to a mail server and sends nothing', async () => {
    const mail = await mailServer();
    const endpoint = `smtp://127.0.0.1:${mail.port}`;
    const at = `127.0.0.1:${mail.port}`;
    expect(await check(endpoint, 'me@weft.test:right')).toEqual({ ok: true, detail: `${at} took the login.` });
    expect(await check(endpoint, 'me@weft.test:wrong')).toEqual({
      ok: false,
      detail: expect.stringMatching(/^127\.0\.0\.1 answered 535 .*\(bad_status\)\.$/) as string,
    });
    expect((await check(endpoint, 'user:'))?.detail).toBe(`${at} answers; it was not logged in to.`);
    expect((await check(endpoint, 'alone'))?.detail).toContain('the password was not tried');
    expect(mail.logins).toHaveLength(2);
    expect(mail.seen).toEqual([]);
  });

  it('reaches the host of a webhook, and posts nothing', async () => {
    const found = await check(null, `http://${host}/hooks/s3cret`, 'slack');
    expect(found).toEqual({ ok: true, detail: expect.stringContaining('only by posting one') as string });
    const gone = await check(null, 'http://127.0.0.1:1/hooks/s3cret');
    expect(gone).toEqual({ ok: false, detail: expect.stringContaining('(connect_failed)') as string });
    const inside = await check(null, 'http://169.254.169.254/hooks/s3cret');
    expect(inside).toEqual({ ok: false, detail: expect.stringContaining('(destination_blocked)') as string });
    expect(JSON.stringify([found, gone, inside])).not.toContain('s3cret');
    expect(asked).toEqual([]);
  });

  it.each([
    [200, true, 'took the key and has 2 models'],
    [401, false, 'does not take the key'],
    [404, true, 'the key was not tried'],
    [500, false, 'answered 500'],
  ])('asks an API for its models: %i', async (status, ok, said) => {
    const found = await check(`http://${host}/${status}/`, 's3cret');
    expect(found).toEqual({ ok, detail: expect.stringContaining(said) as string });
    expect(found?.detail).not.toContain('s3cret');
    expect(asked.at(-1)).toBe(`GET /${status}/models Bearer s3cret`);
  });

  it('does not read a long list of models: whoever gives it has taken the key', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(await check(`http://${host}/200/large`, 's3cret')).toEqual({ ok: true, detail: `${host} took the key.` });
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('asks nobody about a token that leads nowhere', async () => {
    expect(await check(null, 'xoxb-1')).toBeNull();
  });
});
