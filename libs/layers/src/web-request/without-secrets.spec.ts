import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readBody } from './read-body.js';
import { withoutSecrets } from './without-secrets.js';

const SECRET = 'a b/c="ü😀\\n+%41==';
const everyUnit = [...Array(SECRET.length).keys()].map((at) => SECRET.charCodeAt(at).toString(16).padStart(4, '0'));
const inUnits = (digits = (text: string) => text) => everyUnit.map((unit) => String.raw`\u` + digits(unit)).join('');
const inPercents = [...Buffer.from(SECRET)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const inForm = new URLSearchParams([['', SECRET]]).toString().slice(1);
const SPELLINGS: readonly string[] = [
  JSON.stringify(SECRET).slice(1, -1),
  JSON.stringify(SECRET)
    .slice(1, -1)
    .replaceAll('=', String.raw`\u003d`)
    .replaceAll('/', String.raw`\/`),
  JSON.stringify(SECRET)
    .slice(1, -1)
    .replaceAll('=', String.raw`\u003D`)
    .replaceAll('+', String.raw`\u002b`),
  inUnits(),
  inUnits((text) => text.toUpperCase()),
  encodeURIComponent(SECRET),
  encodeURIComponent(SECRET).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  inForm,
  inForm.replaceAll(/%../g, (escape) => escape.toLowerCase()),
  inPercents,
];
const CHARSETS = ['utf-8', 'utf-16le', 'utf-16', 'utf-16be'] as const;

function encoded(text: string, charset: (typeof CHARSETS)[number]): Buffer {
  if (charset === 'utf-8') return Buffer.from(text);
  const bytes = Buffer.from(text, 'utf16le');
  return charset === 'utf-16be' ? bytes.swap16() : bytes;
}

/** The body as a layer reads it: held, and streamed in pieces of this size. */
async function bothWays(body: Buffer, contentType: string, pieceBytes: number, secrets = [SECRET]) {
  const pieces = Array.from({ length: Math.ceil(body.byteLength / pieceBytes) }, (_, i) =>
    body.subarray(i * pieceBytes, (i + 1) * pieceBytes),
  );
  const answer = { statusCode: 200, headers: { 'content-type': contentType }, url: '' };
  const held = withoutSecrets({ ...answer, body }, secrets).body;
  const { stream } = withoutSecrets({ ...answer, body: Buffer.alloc(0), stream: Readable.from(pieces) }, secrets);
  return [held, await buffer(stream!)] as const;
}

describe('a secret that a peer says back', () => {
  it.each(CHARSETS)(
    'is masked in each spelling of JSON, addresses and forms, as text and as value: %s',
    async (charset) => {
      const contentType = `application/json; charset=${charset}`;
      for (const spelling of SPELLINGS) {
        const before = String.raw`{"\\":"\u00e9 50% \\","${spelling}":["x${spelling}${spelling}y",{"é":"`;
        const text = `${before}${spelling}"}],"end":"é%zz"}`;
        for (const pieceBytes of [1, 7, 4096]) {
          for (const bytes of await bothWays(encoded(text, charset), contentType, pieceBytes)) {
            const { body, json } = readBody(bytes, contentType);
            expect(json).toEqual({
              '\\': 'é 50% \\',
              '[secret]': ['x[secret][secret]y', { é: '[secret]' }],
              end: 'é%zz',
            });
            expect(body).toBe(text.replaceAll(spelling, '[secret]'));
          }
        }
      }
    },
  );

  it('is masked in headers, also in an address with small letters', () => {
    const headers = { location: `https://a.example/?key=${inPercents}&x=%2f` };
    const masked = withoutSecrets({ statusCode: 302, headers, url: '', body: Buffer.alloc(0) }, [SECRET]);
    expect(masked.headers.location).toBe('https://a.example/?key=[secret]&x=%2f');
  });

  it('leaves every other byte as it is, and is not confused by what is no escape', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x5c, 0x75, 0x30, 0x5c, 0x5c, 0x25, 0x34, 0x25, 0x00, 0xd8, 0x5c]);
    for (const charset of CHARSETS) {
      for (const size of [1, 2, 5, 64]) {
        for (const each of await bothWays(bytes, `text/plain; charset=${charset}`, size, ['nope'])) {
          expect(each).toEqual(bytes);
        }
      }
    }
    // an escaped backslash, and then the secret: no line break
    const text = Buffer.from(String.raw`"\\\\nabc\u003d \nabc\u003d"`);
    for (const size of [1, 2, 3, 4, 64]) {
      for (const each of await bothWays(text, 'application/json', size, ['nabc='])) {
        expect(each.toString()).toBe(String.raw`"\\\\[secret] \nabc\u003d"`);
      }
    }
  });

  it('costs a few searches, however much is escaped', async () => {
    const escaped = Buffer.from(String.raw`\u0061%61`.repeat(200_000));
    const [held] = await bothWays(escaped, 'application/json', escaped.byteLength, [`${'a'.repeat(1_000)}b`]);
    expect(held.equals(escaped)).toBe(true);
  });
});
