import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { contentOutput, storageFor } from '../../stored/content.js';
import { outputText } from '../../stored/output-text.js';
import { MemoryPayloads } from '../../stored/memory-payloads.fixture.js';
import { readBody } from './read-body.js';
import { storeBody } from './store-body.js';
import { withoutSecrets } from './without-secrets.js';

const LATIN = Buffer.from([0x63, 0x61, 0x66, 0xe9]);
const NESTED = (levels: number): Buffer => Buffer.from('['.repeat(levels) + ']'.repeat(levels));

/** The output as it is when it is read again, wherever its parts are stored. */
async function throughTheStore(
  bytes: Buffer,
  contentType: string | undefined,
  {
    token,
    pieceBytes = 1,
    more = {},
    told,
  }: { token?: string; pieceBytes?: number; more?: object; told?: unknown[] } = {},
): Promise<unknown> {
  const payloads = new MemoryPayloads(2);
  const pieces = Array.from({ length: Math.ceil(bytes.byteLength / pieceBytes) }, (_, i) =>
    bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes),
  );
  const headers = { ...(contentType !== undefined && { 'content-type': contentType }), ...more };
  const answer = { statusCode: 200, headers, url: '', body: Buffer.alloc(0), stream: Readable.from(pieces) };
  const { stream } = token === undefined ? answer : withoutSecrets(answer, [token]);
  const storage = storageFor(() => payloads.upload(), 1_000_000);
  const out = await storeBody({ headers }, stream!, storage, (...progress) => void told?.push(progress));
  const { content, form } = contentOutput(out)!;
  const ref = await content.finish(form);
  return JSON.parse(await text(Readable.from(outputText(() => payloads.open('company', ref)))));
}

describe('a body that is stored as it comes', () => {
  it.each<[string | undefined, Buffer]>([
    ['text/plain', Buffer.from('héllo 😀')],
    [undefined, Buffer.from('plain')],
    ['text/html; charset=ISO-8859-1', LATIN],
    ['text/plain', LATIN],
    ['text/plain; charset=utf-16le', Buffer.from('hé😀', 'utf16le')],
    ['text/plain; charset=no-such-thing', Buffer.from('hé')],
    ['application/json', Buffer.from('{"a":[1,"ü"]}')],
    ['application/json; charset=utf-16le', Buffer.from('{"a":1}', 'utf16le')],
    ['application/problem+json', Buffer.from('{} ')],
    ['application/json', Buffer.from('\ufeff{"a":1}')],
    ['application/json', Buffer.from('{broken')],
    ['application/json', NESTED(64)],
    ['application/json', NESTED(65)],
    ['application/json', Buffer.from([0x22, 0xff, 0x22])],
    ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff, 0xfe])],
    // a character that is cut off at the end
    ['application/octet-stream', Buffer.from('é').subarray(0, 1)],
  ])('says of %s the same as one that is held', async (contentType, bytes) => {
    expect(await throughTheStore(bytes, contentType)).toEqual({ ...readBody(bytes, contentType) });
  });

  it('shows nothing of a token that the peer says back, wherever it is cut', async () => {
    const token = 'ya29/to"kén';
    const said = Buffer.from(`{"sent":"Bearer ya29\\/to\\"kén","again":${JSON.stringify(token)}}`);
    for (const pieceBytes of [1, 3, 7, 1_000]) {
      const out = await throughTheStore(said, 'application/json', { token, pieceBytes });
      expect(out).toMatchObject({ json: { sent: 'Bearer [secret]', again: '[secret]' } });
      expect(JSON.stringify(out)).not.toMatch(/ya29|kén/);
    }
  });

  it('tells how far it is when its length is known, and nothing when that is the compressed one', async () => {
    const told: unknown[] = [];
    const bytes = Buffer.from('0123456789');
    await throughTheStore(bytes, 'text/plain', { pieceBytes: 4, more: { 'content-length': '10' }, told });
    expect(told).toEqual([
      [40, '4 of 10 bytes'],
      [80, '8 of 10 bytes'],
      [100, '10 of 10 bytes'],
    ]);
    told.length = 0;
    await throughTheStore(bytes, 'text/plain', { more: { 'content-length': '10', 'content-encoding': 'gzip' }, told });
    await throughTheStore(bytes, 'text/plain', { told });
    expect(told).toEqual([]);
  });
});
