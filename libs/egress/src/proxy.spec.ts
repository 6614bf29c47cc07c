import { connectProxy, type ConnectProxy, PEER_EXAMPLE, PRIVATE_CA } from '@weft/testing';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEgressDialer } from './create-egress-dialer.js';
import type { ResolveHost } from './guarded-lookup.js';
import { canary, client, get, LOOPBACK, refusal, serve, serveTcp } from './local-servers.fixture.js';
import { openTunnel } from './tunnel.js';

const PUBLIC = '93.184.216.34';
const answering =
  (...addresses: string[]): ResolveHost =>
  (_host, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
const through = ({ port }: ConnectProxy, target: 'address' | 'name' = 'address', as = '') =>
  ({ proxy: { url: `http://${as}127.0.0.1:${port}`, target }, allow: [], resolve: answering(PUBLIC) }) as const;
const portOf = (origin: string): string => new URL(origin).port;

async function serveTls(): Promise<number> {
  const server = createHttpsServer(PEER_EXAMPLE, (_request, response) => response.end('over tls'));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe('a call of a public address', () => {
  it('goes through the proxy, which is given the address that was judged, and its credentials', async () => {
    const proxy = await connectProxy();
    const origin = await serve((request, response) => response.end(`${request.headers.host} ${request.url}`));
    const url = `http://peer.example:${portOf(origin)}/path`;
    const egress = client(through(proxy, 'address', 'me:p%40ss@'));
    const { body } = await egress.request(get(url));
    expect(body.toString()).toBe(`peer.example:${portOf(origin)} /path`);
    expect(proxy.asked).toEqual([`${PUBLIC}:${portOf(origin)}`]);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
    await egress.request(get(url));
    expect(proxy.asked.length, 'a connection is used again').toBeLessThanOrEqual(2);
  });

  it('over https is encrypted to the peer, under the name that was asked for', async () => {
    const [proxy, port] = [await connectProxy(), await serveTls()];
    const egress = client({ ...through(proxy), ca: PRIVATE_CA });
    expect((await egress.request(get(`https://peer.example:${port}/`))).body.toString()).toBe('over tls');
    await expect(egress.request(get(`https://other.example:${port}/`))).rejects.toEqual(refusal('connect_failed'));
    await expect(client(through(proxy)).request(get(`https://peer.example:${port}/`))).rejects.toEqual(
      refusal('connect_failed'),
    );
  });

  it('is asked for by its name where the operator says so', async () => {
    const proxy = await connectProxy();
    const origin = await serve((_request, response) => response.end('ok'));
    await client(through(proxy, 'name')).request(get(`http://peer.example:${portOf(origin)}/`));
    expect(proxy.asked).toEqual([`peer.example:${portOf(origin)}`]);
  });

  it('reaches a proxy over TLS that a private authority signed', async () => {
    const proxy = await connectProxy({ certificate: PEER_EXAMPLE });
    const origin = await serve((_request, response) => response.end('ok'));
    const secure = { url: `https://localhost:${proxy.port}`, target: 'address' } as const;
    const url = `http://peer.example:${portOf(origin)}/`;
    const trusting = client({ ...through(proxy), proxy: secure, ca: PRIVATE_CA });
    expect((await trusting.request(get(url))).body.toString()).toBe('ok');
    await expect(client({ ...through(proxy), proxy: secure }).request(get(url))).rejects.toEqual(
      refusal('connect_failed'),
    );
  });

  it('over a socket of another protocol goes the same way, and the peer counts as the address that was judged', async () => {
    const proxy = await connectProxy();
    const origin = await serveTcp((socket) => socket.end('220 hello\r\n'));
    const socket = await createEgressDialer(through(proxy)).dial({
      host: 'mail.example',
      port: Number(portOf(origin)),
      tls: false,
      timeoutMs: 5_000,
    });
    expect(socket.remoteAddress).toBe(PUBLIC);
    expect(Buffer.concat(await socket.toArray()).toString()).toBe('220 hello\r\n');
    const port = await serveTls();
    const secure = await createEgressDialer({ ...through(proxy), ca: PRIVATE_CA }).dial({
      host: 'peer.example',
      port,
      tls: true,
      timeoutMs: 5_000,
    });
    secure.destroy();
    expect(proxy.asked).toEqual([`${PUBLIC}:${portOf(origin)}`, `${PUBLIC}:${port}`]);
  });
});

describe('the guard stands before the proxy', () => {
  const REFUSED: readonly (readonly [string, string, ...string[]])[] = [
    ['a private address', 'http://10.0.0.1/'],
    ['the address of a cloud’s metadata', 'http://169.254.169.254/latest'],
    ['loopback', 'http://127.0.0.1:9/'],
    ['loopback as IPv6', 'http://[::1]/'],
    ['a mapped address', 'http://[::ffff:10.0.0.1]/'],
    ['a name of a private address', 'http://peer.example/', '10.0.0.1'],
    ['a name of a public and a private address', 'https://peer.example/', PUBLIC, '10.0.0.1'],
  ];

  it.each(REFUSED)('%s is refused, and the proxy is not asked', async (_what, url, ...addresses) => {
    for (const target of ['address', 'name'] as const) {
      const proxy = await connectProxy();
      const egress = client({ ...through(proxy, target), resolve: answering(...addresses) });
      await expect(egress.request(get(url))).rejects.toEqual(refusal('destination_blocked'));
      const { hostname, port } = new URL(url);
      const dialling = createEgressDialer({ ...through(proxy, target), resolve: answering(...addresses) }).dial({
        host: hostname,
        port: Number(port) || 25,
        tls: false,
        timeoutMs: 5_000,
      });
      await expect(dialling).rejects.toEqual(refusal('destination_blocked'));
      expect(proxy.asked).toEqual([]);
    }
  });

  it('a redirect to a private address is refused, too', async () => {
    const proxy = await connectProxy();
    const origin = await serve((_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end());
    const calling = client(through(proxy)).request(get(`http://peer.example:${portOf(origin)}/`));
    await expect(calling).rejects.toEqual(refusal('destination_blocked'));
    expect(proxy.asked).toHaveLength(1);
  });

  it('a name that changes its address between look-up and connection does not matter', async () => {
    const proxy = await connectProxy();
    const origin = await serve((_request, response) => response.end('ok'));
    let looks = 0;
    const changing: ResolveHost = (host, done) => answering((looks += 1) === 1 ? PUBLIC : '10.0.0.1')(host, done);
    await client({ ...through(proxy), resolve: changing }).request(get(`http://peer.example:${portOf(origin)}/`));
    expect(proxy.asked).toEqual([`${PUBLIC}:${portOf(origin)}`]);
  });

  it('what the operator allows is called directly, also when its name leads to a public address at the next look', async () => {
    const proxy = await connectProxy();
    const { origin, hits } = await canary();
    const options = { ...through(proxy), allow: [LOOPBACK] };
    await client({ ...options, resolve: answering('127.0.0.1') }).request(
      get(`http://near.example:${portOf(origin)}/`),
    );
    await client(options).request(get(`${origin}/literal`));
    expect([hits, proxy.asked]).toEqual([['/', '/literal'], []]);
    let looks = 0;
    const changing: ResolveHost = (host, done) => answering((looks += 1) === 1 ? '127.0.0.1' : PUBLIC)(host, done);
    const calling = client({ ...options, resolve: changing }).request(get(`http://near.example:${portOf(origin)}/`));
    await expect(calling).rejects.toEqual(refusal('destination_blocked'));
  });

  it('the proxy is not called through itself', async () => {
    const { port } = await connectProxy();
    const options = { proxy: { url: `http://127.0.0.1:${port}`, target: 'address' }, timeoutMs: 5_000 } as const;
    const opening = openTunnel({ host: 'proxy.example', address: '127.0.0.1', port }, options);
    await expect(opening).rejects.toEqual(refusal('destination_blocked'));
  });
});

describe('a proxy that does not connect', () => {
  it.each([
    [403, 'refused'],
    [407, 'credentials'],
    [502, 'refused'],
  ])('fails the call with its status %i, and is not named', async (status, why) => {
    const proxy = await connectProxy({ status: () => status });
    const failed = await client(through(proxy))
      .request(get('https://peer.example/'))
      .catch((error: unknown) => error);
    expect(failed).toEqual(refusal('connect_failed'));
    expect(String(failed)).toContain(why);
    expect(String(failed)).toContain(String(status));
    expect(String(failed)).not.toMatch(/127\.0\.0\.1|93\.184/);
  });

  it('is tried with the next address of the name', async () => {
    const origin = await serve((_request, response) => response.end('ok'));
    const proxy = await connectProxy({ status: (authority) => (authority.startsWith(PUBLIC) ? 502 : 200) });
    const egress = client({ ...through(proxy), resolve: answering(PUBLIC, '93.184.216.35') });
    expect((await egress.request(get(`http://peer.example:${portOf(origin)}/`))).statusCode).toBe(200);
    expect(proxy.asked).toHaveLength(2);
  });

  it('fails the call in its time when it says nothing, or is not there', async () => {
    const silent = await connectProxy({ status: () => 0 });
    const egress = client({ ...through(silent), connectTimeoutMs: 200 });
    await expect(egress.request(get('http://peer.example/'))).rejects.toEqual(refusal('timeout'));
    const gone = { ...through(silent), proxy: { url: 'http://127.0.0.1:9', target: 'address' } } as const;
    await expect(client(gone).request(get('http://peer.example/'))).rejects.toEqual(refusal('connect_failed'));
    const cancelled = createEgressDialer(through(silent)).dial({
      host: 'peer.example',
      port: 25,
      tls: false,
      timeoutMs: 5_000,
      signal: AbortSignal.timeout(100),
    });
    await expect(cancelled).rejects.toEqual(refusal('cancelled'));
  });
});

it('a peer with a certificate of a private authority is called where the operator trusts it', async () => {
  const port = await serveTls();
  const resolve = answering('127.0.0.1');
  const url = `https://peer.example:${port}/`;
  expect((await client({ resolve, ca: PRIVATE_CA }).request(get(url))).body.toString()).toBe('over tls');
  await expect(client({ resolve }).request(get(url))).rejects.toEqual(refusal('connect_failed'));
});
