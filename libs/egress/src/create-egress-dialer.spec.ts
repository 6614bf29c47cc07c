import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEgressDialer, type EgressDialerOptions, type EgressTarget } from './create-egress-dialer.js';
import type { ResolveHost } from './guarded-lookup.js';
import { LOOPBACK, refusal, serveTcp } from './local-servers.fixture.js';
import { MAIL_EXAMPLE } from './mail-example-certificate.fixture.js';

const toLoopback: ResolveHost = (_host, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

function dial(target: Partial<EgressTarget>, options: Partial<EgressDialerOptions> = {}): Promise<Socket> {
  const dialer = createEgressDialer({ allow: [LOOPBACK], resolve: toLoopback, ...options });
  return dialer.dial({ host: '127.0.0.1', port: 1, tls: false, timeoutMs: 5_000, ...target });
}

async function greeter(): Promise<{ readonly port: number; readonly callers: readonly Socket[] }> {
  const callers: Socket[] = [];
  const origin = await serveTcp((socket) => {
    callers.push(socket);
    socket.end('220 hello\r\n');
  });
  return { port: Number(new URL(origin).port), callers };
}

async function tlsGreeter(): Promise<number> {
  const server = createTlsServer(MAIL_EXAMPLE, (socket) => socket.end('220 hello\r\n'));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())));
  return (server.address() as AddressInfo).port;
}

const said = async (socket: Socket): Promise<string> => Buffer.concat(await socket.toArray()).toString();

describe('a dialled socket', () => {
  it('is connected, by address and by name', async () => {
    const { port } = await greeter();
    expect(await said(await dial({ port }))).toBe('220 hello\r\n');
    expect(await said(await dial({ host: 'mail.example', port }))).toBe('220 hello\r\n');
  });

  it('speaks TLS with who proves to be that name, and with nobody else', async () => {
    const port = await tlsGreeter();
    const ca = MAIL_EXAMPLE.cert;
    expect(await said(await dial({ host: 'mail.example', port, tls: true }, { ca }))).toBe('220 hello\r\n');
    await expect(dial({ host: 'other.example', port, tls: true }, { ca })).rejects.toEqual(refusal('connect_failed'));
    await expect(dial({ host: 'mail.example', port, tls: true })).rejects.toEqual(refusal('connect_failed'));
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    'localhost',
    '10.0.0.1',
    '169.254.169.254',
    'fd00:ec2::254',
  ])('is never one to %s', async (host) => {
    const { port, callers } = await greeter();
    for (const tls of [false, true]) {
      await expect(dial({ host, port, tls }, { allow: [], resolve: undefined })).rejects.toEqual(
        refusal('destination_blocked'),
      );
    }
    expect(callers).toEqual([]);
  });

  it('is never one to a name of which one answer may not be called, nor by a second look-up', async () => {
    const { port, callers } = await greeter();
    let asked = 0;
    const resolve: ResolveHost = (_host, callback) => {
      asked += 1;
      callback(
        null,
        ['198.41.0.4', '127.0.0.1'].map((address) => ({ address, family: 4 })),
      );
    };
    await expect(dial({ host: 'rebind.example', port }, { allow: [], resolve })).rejects.toEqual(
      refusal('destination_blocked'),
    );
    expect([asked, callers]).toEqual([1, []]);
  });

  it('is opened on the opened port alone', async () => {
    const { port, callers } = await greeter();
    await expect(dial({ port }, { allow: [{ cidr: '127.0.0.1/32', port: port - 1 }] })).rejects.toEqual(
      refusal('destination_blocked'),
    );
    expect(callers).toEqual([]);
    expect(await said(await dial({ port }, { allow: [{ cidr: '127.0.0.1/32', port }] }))).toBe('220 hello\r\n');
  });
});

describe('dialling', () => {
  it('ends at its time limit, also within the handshake, and lets go of the socket', async () => {
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
    const origin = await serveTcp((socket) => {
      socket.on('close', () => onClosed());
      socket.resume();
    });
    const port = Number(new URL(origin).port);
    await expect(dial({ port, tls: true, timeoutMs: 40 })).rejects.toEqual(refusal('timeout'));
    await closed;
    await expect(dial({ host: 'slow.example', timeoutMs: 20 }, { resolve: () => undefined })).rejects.toEqual(
      refusal('timeout'),
    );
  });

  it('ends when its signal is aborted, before and meanwhile', async () => {
    await expect(dial({ signal: AbortSignal.abort() })).rejects.toEqual(refusal('cancelled'));
    const abort = new AbortController();
    const resolve: ResolveHost = () => abort.abort();
    await expect(dial({ host: 'slow.example', signal: abort.signal }, { resolve })).rejects.toEqual(
      refusal('cancelled'),
    );
  });

  it('says that nobody listens, without saying where', async () => {
    const error: unknown = await dial({ host: 'mail.example', port: 1 }).catch((e: unknown) => e);
    expect(error).toEqual(refusal('connect_failed'));
    expect(String(error)).toContain('mail.example');
    expect(String(error)).not.toContain('127.0.0.1');
  });

  it.each([
    { host: '' },
    { host: 'a b' },
    { host: 'mail.example\r\nX' },
    { host: '/run/mail.sock' },
    { host: 'mail.example', port: 0 },
    { host: 'mail.example', port: 65_536 },
    { host: 'mail.example', port: 2.5 },
  ])('refuses %j', async (target) => {
    await expect(dial(target)).rejects.toEqual(refusal('invalid_args'));
  });
});
