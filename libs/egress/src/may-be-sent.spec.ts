import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { EgressRequest } from './egress-client.js';
import { describe, expect, it } from 'vitest';
import { client, get, refusal, serve } from './local-servers.fixture.js';

/** A server, what it was sent, and a client whose connections are there when the test says so. */
async function world(listener: (request: IncomingMessage) => string = () => 'ok') {
  const heard: string[] = [];
  const origin = await serve((request, response) => {
    request.resume();
    void once(request, 'end').then(() => {
      heard.push(`${request.method} ${request.url}`);
      const location = listener(request);
      if (location === 'ok') response.end('ok');
      else response.writeHead(307, { location }).end();
    });
  });
  const { port } = new URL(origin);
  const { promise: connecting, resolve: onConnecting } = Promise.withResolvers<() => void>();
  const slow = client({
    resolve: (_name, done) => onConnecting(() => done(null, [{ address: '127.0.0.1', family: 4 }])),
  });
  return { heard, port, slow, connecting, origin };
}

describe('a request that may be sent only while something holds', () => {
  it('is not sent when that has ended while it waited for its connection', async () => {
    const { heard, port, slow, connecting } = await world();
    let may = true;
    const call = slow.request(get(`http://slow.example:${port}/`, { mayBeSent: () => may }));
    const goOn = await connecting;
    may = false;
    goOn();
    await expect(call).rejects.toEqual(refusal('cancelled'));
    expect(heard).toEqual([]);
  });

  it('is not sent on a connection that is there already, either', async () => {
    const { heard, origin } = await world();
    const http = client();
    await http.request(get(origin));
    await expect(http.request(get(`${origin}/second`, { mayBeSent: () => false }))).rejects.toEqual(
      refusal('cancelled'),
    );
    await http.request(get(`${origin}/third`));
    expect(heard).toEqual(['GET /', 'GET /third']);
  });

  const bodies: readonly [string, EgressRequest['body']][] = [
    ['a text', 'text'],
    [
      'a stream',
      {
        length: 4,
        async *open() {
          yield Buffer.from('te');
          yield Buffer.from('xt');
        },
      },
    ],
  ];
  it.each(bodies)('is sent once, with %s as its body, when that is known again', async (_what, body) => {
    const { heard, origin } = await world();
    const asked: number[] = [];
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const mayBeSent = (): true | Promise<boolean> => (asked.push(heard.length) === 1 ? promise : true);
    // no time limit of its own is over meanwhile
    const call = client().request(get(origin, { method: 'POST', body, mayBeSent }));
    await expect.poll(() => asked).toEqual([0]);
    resolve(true);
    expect((await call).body.toString()).toBe('ok');
    expect([heard, asked]).toEqual([['POST /'], [0, 0]]);
  });

  it.each([
    ['does not hold any more', () => Promise.resolve(false)],
    ['cannot be known', () => Promise.reject(new Error('away'))],
  ])('is not sent when that %s', async (_what, mayBeSent) => {
    const { heard, origin } = await world();
    await expect(client().request(get(origin, { mayBeSent }))).rejects.toEqual(refusal('cancelled'));
    expect(heard).toEqual([]);
  });

  it('follows no redirect when that has ended meanwhile', async () => {
    const { heard, origin } = await world(({ url }) => (url === '/' ? '/next' : 'ok'));
    const call = client().request(get(origin, { mayBeSent: () => heard.length === 0 }));
    await expect(call).rejects.toEqual(refusal('cancelled'));
    expect(heard).toEqual(['GET /']);
  });

  it('ends with its signal while that is not known', async () => {
    const { heard, origin } = await world();
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const mayBeSent = (): Promise<boolean> => (abort.abort(), promise);
    await expect(client().request(get(origin, { mayBeSent, signal: abort.signal }))).rejects.toEqual(
      refusal('cancelled'),
    );
    resolve(true);
    await new Promise(setImmediate);
    expect(heard).toEqual([]);
  });
});
