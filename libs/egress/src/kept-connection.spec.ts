import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { EgressRequest } from './egress-client.js';
import { client, get, refusal, serveTcp } from './local-servers.fixture.js';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A server that answers the first request of a connection, and does `then` when a second one comes. */
async function peer(then: (socket: Socket) => void, first = OK) {
  const seen: string[] = [];
  let connections = 0;
  const origin = await serveTcp((socket) => {
    const id = (connections += 1);
    let requests = 0;
    socket.on('data', (chunk) => {
      seen.push(`${id} ${chunk.toString().split(' ')[0]}`);
      requests += 1;
      if (requests === 1) socket.write(first);
      else then(socket);
    });
  });
  return { origin, seen, connections: () => connections };
}

/** Until then undici does not use the connection again. */
const turn = (): Promise<void> => new Promise((done) => void setImmediate(done));

const KEY = { 'Idempotency-Key': 'k' };
const post = (origin: string, headers: EgressRequest['headers'] = {}) =>
  get(origin, { method: 'POST', headers, body: 'b' });

describe('a kept connection that the server closes when a request comes', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['closed', (socket) => void socket.end()],
    ['reset', (socket) => void socket.resetAndDestroy()],
  ])('is replaced by a new one: %s', async (_how, then) => {
    const { origin, seen } = await peer(then);
    const egress = client();
    for (const request of [get(origin), get(origin), post(origin, KEY)]) {
      expect((await egress.request(request)).body.toString()).toBe('ok');
      await turn();
    }
    expect(seen).toEqual(['1 GET', '1 GET', '2 GET', '2 POST', '3 POST']);
  });

  it('is replaced also when there are several of that kind, and for a body that is streamed', async () => {
    const { origin, connections } = await peer((socket) => void socket.end());
    const egress = client();
    const all = (make: () => EgressRequest) => Promise.all([1, 2, 3].map(() => egress.request(make())));
    const body = {
      length: 2,
      async *open() {
        yield Buffer.from('ab');
      },
    };
    await all(() => get(origin));
    await turn();
    const answers = await all(() => get(origin, { method: 'PUT', body }));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect(connections()).toBe(6);
  });

  it('fails a call that the server could not recognise', async () => {
    const { origin, seen } = await peer((socket) => void socket.end());
    const egress = client();
    await egress.request(post(origin));
    await turn();
    await expect(egress.request(post(origin))).rejects.toEqual(refusal('connect_failed'));
    expect(seen).toEqual(['1 POST', '1 POST']);
  });

  it('fails a call whose answer has begun', async () => {
    const { origin, seen } = await peer((socket) => void socket.end('HTTP/1.1 200'));
    const egress = client();
    await egress.request(get(origin));
    await turn();
    await expect(egress.request(get(origin))).rejects.toEqual(refusal('connect_failed'));
    expect(seen).toEqual(['1 GET', '1 GET']);
  });

  it('was none when it is new: such a call fails at once', async () => {
    let connections = 0;
    const origin = await serveTcp((socket) => {
      connections += 1;
      socket.once('data', () => socket.end());
    });
    await expect(client().request(get(origin))).rejects.toEqual(refusal('connect_failed'));
    expect(connections).toBe(1);
  });
});
