import { beforeEach, describe, expect, it } from 'vitest';
import type { EgressClientOptions } from './create-egress-client.js';
import { EgressError } from './egress-client.js';
import { canary, client, get, refusal, serve } from './local-servers.fixture.js';

describe('the guard', () => {
  let target: Awaited<ReturnType<typeof canary>>;
  let port: string;
  beforeEach(async () => {
    target = await canary();
    port = new URL(target.origin).port;
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '169.254.169.254',
    '10.0.0.1',
    '100.64.0.1',
    'localhost',
    'LOCALHOST',
    'example.com@127.0.0.1',
    '127。0。0。1',
    '１２７.0.0.1',
    'ⓛocalhost',
    '%31%32%37.0.0.1',
  ])('never lets a call reach %s', async (host) => {
    const egress = client({ allow: [] });
    await expect(egress.request(get(`http://${host}:${port}/`))).rejects.toEqual(refusal('destination_blocked'));
    expect(target.hits).toEqual([]);
  });

  it('never reaches this machine by a rooted name, whether the resolver knows it or not', async () => {
    await expect(client({ allow: [] }).request(get(`http://localhost.:${port}/`))).rejects.toBeInstanceOf(EgressError);
    expect(target.hits).toEqual([]);
  });

  it('reads a fragment as no part of the host', async () => {
    const egress = client({ allow: [], resolve: (_host, callback) => callback(new Error('no such name'), []) });
    await expect(egress.request(get(`http://name.example#@127.0.0.1:${port}/`))).rejects.toEqual(
      refusal('connect_failed'),
    );
    expect(target.hits).toEqual([]);
  });

  it('connects to the address it judged, and judges anew when a name is bound to another', async () => {
    const answers = ['127.0.0.1', '127.0.0.2'];
    let asked = 0;
    const seen: (string | undefined)[] = [];
    const origin = await serve((request, response) => {
      seen.push(request.socket.localAddress);
      response.setHeader('connection', 'close').end();
    }, '0.0.0.0');
    const egress = client({
      resolve: (_host, callback) => callback(null, [{ address: answers[asked++] ?? '127.0.0.2', family: 4 }]),
    });
    const url = `http://rebind.example:${new URL(origin).port}/`;
    expect((await egress.request(get(url))).statusCode).toBe(200);
    expect(asked).toBe(1);
    await expect(egress.request(get(url))).rejects.toEqual(refusal('destination_blocked'));
    expect([asked, seen]).toEqual([2, ['127.0.0.1']]);
  });

  it('refuses a name when one of its answers is refused', async () => {
    const egress = client({
      allow: [],
      resolve: (_host, callback) =>
        callback(null, [
          { address: '198.41.0.4', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ]),
    });
    const error: unknown = await egress.request(get(`http://mixed.example:${port}/`)).catch((e: unknown) => e);
    expect(error).toEqual(refusal('destination_blocked'));
    expect(String(error)).toContain('mixed.example');
    expect(String(error)).not.toContain('127.0.0.1');
    expect(target.hits).toEqual([]);
  });

  it('uses the opened ones among the answers, and only on the opened port', async () => {
    const resolve: EgressClientOptions['resolve'] = (_host, callback) =>
      callback(null, [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ]);
    const egress = client({ allow: [{ cidr: '127.0.0.1/32', port: Number(port) }], resolve });
    expect((await egress.request(get(`http://demo.example:${port}/a`))).statusCode).toBe(200);
    const other = await canary();
    const otherPort = new URL(other.origin).port;
    await expect(egress.request(get(`http://demo.example:${otherPort}/`))).rejects.toEqual(
      refusal('destination_blocked'),
    );
    await expect(egress.request(get(other.origin))).rejects.toEqual(refusal('destination_blocked'));
    expect([target.hits, other.hits]).toEqual([['/a'], []]);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://2852039166/',
    'http://10.0.0.1/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
  ])('judges the hop of a redirect to %s', async (location) => {
    const origin = await serve((_request, response) => response.writeHead(302, { location }).end());
    await expect(client().request(get(origin))).rejects.toEqual(refusal('destination_blocked'));
  });

  it('judges each hop, also the last of several', async () => {
    const origin = await serve((request, response) => {
      const next = { '/1': '/2', '/2': '/3', '/3': target.origin }[request.url ?? ''];
      response.writeHead(302, { location: next }).end();
    });
    const egress = client({ allow: [{ cidr: '127.0.0.1/32', port: Number(new URL(origin).port) }] });
    await expect(egress.request(get(`${origin}/1`))).rejects.toEqual(refusal('destination_blocked'));
    expect(target.hits).toEqual([]);
  });
});
