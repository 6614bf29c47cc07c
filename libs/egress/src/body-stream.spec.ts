import { setImmediate as turn } from 'node:timers';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import type { EgressResponse } from './egress-client.js';
import { client, get, refusal, serve, serveTcp } from './local-servers.fixture.js';

const LARGE = Buffer.from(Array.from({ length: 40_000 }, (_, i) => `line ${i}\n`).join(''));
const past = { streamPast: 10_000 };
/** The smallest result, which is the default, takes half a second. */
const brotli = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

async function whole({ stream }: EgressResponse): Promise<Buffer> {
  if (!stream) throw new Error('the body did not come as a stream');
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a body that is asked for as a stream when it is large', () => {
  it('comes as a whole when it is small, compressed or not', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync('small'));
      else response.end('small');
    });
    for (const path of ['/', '/gzip']) {
      const response = await client().request(get(origin + path, past));
      expect([response.body.toString(), response.stream]).toEqual(['small', undefined]);
    }
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['identity', (bytes) => bytes],
    ['gzip', gzipSync],
    ['br', brotli],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['gzip, br', (bytes) => brotli(gzipSync(bytes))],
  ])('comes whole through %s', async (encoding, encode) => {
    const origin = await serve((_request, response) =>
      response.setHeader('content-encoding', encoding).end(encode(LARGE)),
    );
    const response = await client().request(get(origin, past));
    expect([response.statusCode, response.body.byteLength]).toEqual([200, 0]);
    expect((await whole(response)).equals(LARGE)).toBe(true);
  });

  it('is a stream also when few bytes become many', async () => {
    const origin = await serve((_request, response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(500_000))),
    );
    expect((await whole(await client().request(get(origin, past)))).byteLength).toBe(500_000);
  });

  it('takes none of the time of its call while its reader waits for something else, and all of it after that', async () => {
    const origin = await serve((request, response) => {
      response.write(LARGE);
      if (request.url === '/whole') response.end();
    });
    const limit = { ...past, timeoutMs: 300 };
    const pausedLonger = async (path: string): Promise<EgressResponse> => {
      const response = await client().request(get(origin + path, limit));
      const goOn = response.pause?.();
      const until = performance.now() + 2 * limit.timeoutMs;
      await waitFor(() => performance.now() > until, { what: 'more than the time limit' });
      goOn?.();
      return response;
    };
    const [ending, endless] = [pausedLonger('/whole').then(whole), pausedLonger('/endless').then(whole)];
    await expect(endless).rejects.toMatchObject({ code: 'timeout' });
    expect((await ending).equals(LARGE)).toBe(true);
  });

  it('is read from the socket no faster than by its reader', async () => {
    const total = 48 * 1024 * 1024;
    let written = 0;
    const origin = await serve((_request, response) => {
      const pour = (): void => {
        while (written < total) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', pour);
        }
        response.end();
      };
      pour();
    });
    const { stream } = await client().request(get(origin, { ...past, maxResponseBytes: total }));
    const chunks = stream![Symbol.asyncIterator]();
    let read = ((await chunks.next()).value as Buffer).byteLength;
    // nobody reads further: the server writes until it is blocked
    for (let before = -1, still = 0; still < 300; still = written === before ? still + 1 : 0, before = written) {
      await new Promise((resolve) => turn(resolve));
    }
    // what the kernel buffers between the two; without back-pressure the server would have written all of it
    expect(written).toBeLessThan(total / 2);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) read += next.value.byteLength;
    expect(read).toBe(total);
  });

  it('ends where it is too large, also by decompression, and its socket with it', async () => {
    for (const encoding of ['identity', 'gzip']) {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      const bomb = Buffer.alloc(3_000_000);
      const origin = await serve((_request, response) => {
        response.on('close', resolve);
        response.setHeader('content-encoding', encoding).write(encoding === 'gzip' ? gzipSync(bomb) : bomb);
      });
      const response = await client().request(get(origin, { streamPast: 1_000, maxResponseBytes: 1_000_000 }));
      await expect(whole(response)).rejects.toEqual(refusal('output_too_large'));
      await closed;
    }
  });

  it.each(['identity', 'gzip'])('fails when the server leaves off within it (%s)', async (encoding) => {
    const bytes = encoding === 'gzip' ? gzipSync(LARGE) : LARGE;
    const origin = await serveTcp((socket) => {
      socket.once('data', () => {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${bytes.byteLength + 1}\r\n\r\n`,
        );
        socket.end(bytes);
      });
    });
    await expect(whole(await client().request(get(origin, past)))).rejects.toEqual(refusal('connect_failed'));
  });

  it('fails when it is not what its coding says', async () => {
    const origin = await serve((_request, response) =>
      response.setHeader('content-encoding', 'gzip').end(Buffer.concat([gzipSync(LARGE), LARGE])),
    );
    await expect(whole(await client().request(get(origin, past)))).rejects.toEqual(refusal('connect_failed'));
  });

  it('ends at the time limit and with the signal, in the middle of it', async () => {
    const origin = await serve((_request, response) => void response.write(LARGE));
    const slow = await client().request(get(origin, { ...past, timeoutMs: 80 }));
    await expect(whole(slow)).rejects.toEqual(refusal('timeout'));
    const abort = new AbortController();
    const cancelled = await client().request(get(origin, { ...past, signal: abort.signal }));
    const reading = whole(cancelled);
    abort.abort();
    await expect(reading).rejects.toEqual(refusal('cancelled'));
  });

  it('has the limit between two codings, too: many bytes may become none', async () => {
    // empty blocks without an end
    const nothing = Buffer.concat([
      gzipSync('').subarray(0, 10),
      Buffer.alloc(8_000_000, Buffer.from([0, 0, 0, 0xff, 0xff])),
    ]);
    const origin = await serve((_request, response) =>
      response.setHeader('content-encoding', 'gzip, br').end(brotli(nothing)),
    );
    const response = await client().request(get(origin, { streamPast: 1_000, maxResponseBytes: 1_000_000 }));
    await expect(whole(response)).rejects.toEqual(refusal('output_too_large'));
  });

  it('ends with the signal also when all of it has arrived, until it is read', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const origin = await serve((_request, response) => {
      response.on('close', resolve);
      response.setHeader('content-encoding', 'gzip').end(gzipSync(LARGE));
    });
    const abort = new AbortController();
    const { stream } = await client().request(get(origin, { ...past, signal: abort.signal }));
    const chunks = stream![Symbol.asyncIterator]();
    await chunks.next();
    await arrived;
    abort.abort();
    const rest = async () => {
      while (!(await chunks.next()).done);
    };
    await expect(rest()).rejects.toEqual(refusal('cancelled'));
  });

  it('closes its socket when its reader leaves off', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const origin = await serve((_request, response) => {
      response.on('close', resolve);
      response.write(LARGE);
    });
    const { stream } = await client().request(get(origin, past));
    for await (const chunk of stream ?? []) {
      expect(chunk.byteLength).toBeGreaterThan(0);
      break;
    }
    await closed;
  });

  it('is not that of a redirect', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/there' }).end(LARGE);
      else response.end('there');
    });
    const response = await client().request(get(origin, past));
    expect([response.body.toString(), response.stream]).toEqual(['there', undefined]);
  });
});
