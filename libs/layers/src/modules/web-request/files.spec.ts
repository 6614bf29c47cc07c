import { createEgressClient, type EgressClient } from '@weft/egress';
import { filePath, type FileValue } from '@weft/contracts';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { layerContext } from '../../layer-context.fixture.js';
import type { Connection, LayerContext, Output } from '../../layer-module.js';
import { filesOf, type FileSource } from '../../call/layer-files.js';
import { filenameIn, isTextType } from './file-body.js';
import { webRequest } from './web-request.layer.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A peer that keeps what it gets; `answer` answers. */
async function peer(answer: RequestListener = (_request, response) => void response.end('ok')) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then(
      (body) => {
        received.push({ headers: request.headers, body });
        answer(request, response);
      },
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
}

/** Files in memory, each under its company. */
class Files implements FileSource {
  readonly stored = new Map<string, Buffer>();
  reads = 0;

  put(companyId: string, content: Buffer, label: Partial<FileValue> = {}): FileValue {
    const id = String(this.stored.size).padStart(24, '0');
    this.stored.set(`${companyId}/${id}`, content);
    const value = { contentType: 'image/png', filename: 'a.png', sha256: '', ...label };
    this.labels.set(id, { ...value, $ref: filePath(id), bytes: content.byteLength });
    return this.labels.get(id) as FileValue;
  }

  open: FileSource['open'] = async (companyId, id) => {
    const content = this.stored.get(`${companyId}/${id}`);
    const read = () => {
      this.reads += 1;
      return Readable.from([content?.subarray(0, 10), content?.subarray(10)]) as AsyncIterable<Buffer>;
    };
    return content ? { ...(this.labels.get(id) as FileValue), read } : null;
  };

  store: FileSource['store'] = async ({ companyId }, content, label) =>
    this.put(companyId, await buffer(Readable.from(content)), label);

  private readonly labels = new Map<string, FileValue>();
}

const files = new Files();

function client(): EgressClient {
  const made = createEgressClient({ allow: [{ cidr: '127.0.0.1/32', port: null }] });
  closing.push(() => made.close());
  return made;
}

function run(args: Record<string, unknown>, part: Partial<LayerContext> = {}): Promise<Output> {
  const play = { company_id: 'ours', flowId: 'f', _id: 'p' } as never;
  const context = layerContext({ http: client(), files: filesOf(files, { play }), ...part });
  return Promise.resolve(webRequest.run(webRequest.argsSchema.parse({ method: 'POST', ...args }), context));
}

const sent = async (args: Record<string, unknown>, part?: Partial<LayerContext>): Promise<Received> => {
  const { url, received } = await peer();
  await run({ url, ...args }, part);
  return received[0] as Received;
};

describe('a body that is sent', () => {
  it('is a form: lists repeat the key, null is left out', async () => {
    const body = { a: 'ä & b', n: [1, true, null], none: null };
    const { headers, body: bytes } = await sent({ bodyType: 'form', body });
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(bytes.toString()).toBe('a=%C3%A4+%26+b&n=1&n=true');
  });

  it('is JSON or text as it is told', async () => {
    expect((await sent({ bodyType: 'json', body: 'x' })).body.toString()).toBe('"x"');
    expect((await sent({ bodyType: 'text', body: 7 })).body.toString()).toBe('7');
    await expect(sent({ bodyType: 'text', body: {} })).rejects.toMatchObject({ code: 'invalid_args' });
  });

  it('has parts: fields, texts, base64 and stored files, with a length', async () => {
    const file = files.put('ours', randomBytes(100_000));
    const part = { content: 'a,b', filename: 'x"\r\nContent-Type: evil\r\n.csv', contentType: 'text/csv' };
    const body = { title: 'T', tags: ['x', 'y'], csv: part, raw: { base64: 'AAEC' }, file };
    const { headers, body: bytes } = await sent({ bodyType: 'multipart', body });
    expect(headers['content-length']).toBe(String(bytes.byteLength));
    const boundary = String(headers['content-type']).split('boundary=')[1] ?? '';
    const parts = bytes.toString('latin1').split(`--${boundary}`);
    expect([parts.shift(), parts.pop()]).toEqual(['', '--\r\n']);
    const shown = parts.map((part) => {
      const [head = '', ...rest] = part.slice(2, -2).split('\r\n\r\n');
      return [/name="(\w+)"/.exec(head)?.[1], /Content-Type: (.*)$/.exec(head)?.[1], rest.join('\r\n\r\n').length];
    });
    expect(shown).toEqual([
      ['title', undefined, 1],
      ['tags', undefined, 1],
      ['tags', undefined, 1],
      ['csv', 'text/csv', 3],
      ['raw', 'application/octet-stream', 3],
      ['file', 'image/png', 100_000],
    ]);
    expect(bytes.toString('latin1')).toContain('filename="x%22%0D%0AContent-Type: evil%0D%0A.csv"');
    const listed = [
      { name: 'b', value: 1 },
      { name: 'a', filename: 'n.txt', content: 'z' },
    ];
    expect((await sent({ bodyType: 'multipart', body: listed })).body.toString()).toMatch(
      /"b"[^]*"a"; filename="n.txt"/,
    );
    const typed = (contentType: string) =>
      sent({ bodyType: 'multipart', body: [{ name: 'a', value: '{}', contentType }] });
    expect((await typed('application/json')).body.toString()).toContain(
      'Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{}\r\n',
    );
    await expect(typed('a\r\nb')).rejects.toMatchObject({ code: 'invalid_args' });
  });

  it('is a stored file, streamed with its length and type, and again for each attempt and redirect', async () => {
    const content = randomBytes(300_000);
    const file = files.put('ours', content, { contentType: 'application/pdf' });
    const target = await peer();
    const { url } = await peer((_request, response) => void response.writeHead(307, { location: target.url }).end());
    const before = files.reads;
    for (let attempt = 0; attempt < 2; attempt += 1) await run({ url, bodyType: 'binary', body: file });
    expect(files.reads - before).toBe(4);
    for (const { headers, body } of target.received) {
      expect(headers).toMatchObject({ 'content-type': 'application/pdf', 'content-length': '300000' });
      expect(headers).not.toHaveProperty('transfer-encoding');
      expect(body.equals(content)).toBe(true);
    }
    expect(target.received.length).toBe(2);
  });

  it('is signed as it is sent, also when it is streamed', async () => {
    const link: Connection = {
      ...{ type: 'api', endpoint: null, secret: 'key', kind: 'hmac' },
      settings: { header: 'X-Signature', template: '{method}.{body}' },
    };
    const content = randomBytes(300_000);
    const args = { bodyType: 'binary', body: files.put('ours', content), auth: { integrationId: 'l' } };
    const { headers } = await sent(args, { connection: async () => link });
    const signature = createHmac('sha256', 'key').update('POST.').update(content).digest('hex');
    expect(headers['x-signature']).toBe(signature);
  });

  it('is read in one pass, however many blanks are in it', async () => {
    const blanks = ' '.repeat(2_000_000);
    const { url, received } = await peer();
    await expect(run({ url, bodyType: 'binary', body: `${blanks}!` })).rejects.toMatchObject({ code: 'invalid_args' });
    expect(received).toEqual([]);
    expect((await sent({ bodyType: 'binary', body: `${blanks}AA\nEC${blanks}` })).body).toEqual(Buffer.from([0, 1, 2]));
  });

  it('is refused when it names the file of another company, none, or no file', async () => {
    const theirs = files.put('theirs', Buffer.from('secret'));
    const wrong = [theirs, { $ref: '/api/v1/plays/p/layers/l/out' }, { $ref: 1 }, { x: 1 }, 'not base64!', [1]];
    for (const body of wrong) {
      const { url, received } = await peer();
      await expect(run({ url, bodyType: 'binary', body })).rejects.toMatchObject({ code: 'invalid_args' });
      await expect(
        run({
          url,
          bodyType: 'multipart',
          body: { f: typeof body === 'string' ? {} : [body].flat().map((one) => (one === 1 ? {} : one)) },
        }),
      ).rejects.toThrow();
      expect(received).toEqual([]);
    }
    const type = { content: 'x', contentType: 'text/plain\r\nX: y' };
    await expect(sent({ bodyType: 'multipart', body: { f: type } })).rejects.toMatchObject({ code: 'invalid_args' });
  });
});

describe('a body that is received', () => {
  const pdf = randomBytes(700_000);
  const givesPdf: RequestListener = (_request, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="r.pdf"' })
      .end(pdf);

  it.each(['file', 'auto'])('becomes a file with %s, which is the body of the next request', async (responseType) => {
    const { url } = await peer(givesPdf);
    const out = await run({ url, method: 'GET', responseType });
    expect(out).toMatchObject({
      body: { bytes: 700_000, contentType: 'application/pdf', filename: 'r.pdf', $ref: expect.any(String) as string },
      json: null,
    });
    expect(webRequest.outSchema.safeParse(out).success).toBe(true);
    expect((await sent({ bodyType: 'binary', body: out.body })).body.equals(pdf)).toBe(true);
  });

  it('stays what it was without being told, and where it is text or fails the layer', async () => {
    const small = await peer((_request, response) => void response.end(Buffer.from([0, 255])));
    expect(await run({ url: small.url })).toMatchObject({ body: 'AP8=', bodyEncoding: 'base64' });
    const json = await peer(
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}'),
    );
    expect(await run({ url: json.url, responseType: 'auto' })).toMatchObject({ body: '{"a":1}', json: { a: 1 } });
    const failed = await peer((_request, response) => void response.writeHead(500).end('sorry'));
    const failure = run({ url: failed.url, responseType: 'file' });
    await expect(failure).rejects.toMatchObject({ code: 'bad_status', out: { body: 'sorry' } });
  });

  it('is a file only up to what an output may have', async () => {
    const { url } = await peer(givesPdf);
    const before = files.stored.size;
    const fetched = run({ url, responseType: 'file' }, { maxOutputBytes: 300_000 });
    await expect(fetched).rejects.toMatchObject({ code: 'output_too_large' });
    expect(files.stored.size).toBe(before);
  });

  it('has the name that the server gives it, without what could end a line', () => {
    expect(filenameIn(`attachment; filename="a\\"b.txt"; filename*=UTF-8''%e2%82%ac.txt`)).toBe('€.txt');
    expect(filenameIn('attachment; filename="a\\"b.txt"')).toBe('a"b.txt');
    expect(filenameIn(`inline; filename*=UTF-8''%0d%0aX%3a%20y`)).toBe('X: y');
    expect([filenameIn('inline'), filenameIn(undefined), filenameIn('a; filename=plain')]).toEqual([
      null,
      null,
      'plain',
    ]);
  });

  it('is text by its type', () => {
    const texts = ['text/html; charset=x', 'application/json', 'application/problem+json', 'image/svg+xml', undefined];
    expect(texts.map(isTextType)).toEqual(texts.map(() => true));
    expect(['image/png', 'application/pdf', 'application/octet-stream'].map(isTextType)).toEqual([false, false, false]);
  });
});
