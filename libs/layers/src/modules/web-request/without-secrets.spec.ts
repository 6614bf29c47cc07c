import fc from 'fast-check';
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
  JSON.stringify(JSON.stringify(SECRET).slice(1, -1)).slice(1, -1),
  inUnits().replaceAll('\\', '\\\\'),
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
        for (const each of await bothWays(bytes, `text/plain; charset=${charset}`, size, ['nopenope'])) {
          expect(each).toEqual(bytes);
        }
      }
    }
    // an escaped backslash, and then the secret: no line break
    const text = Buffer.from(String.raw`"\\\\nabcdef7-abc\u003d \nabcdef7-abc\u003d"`);
    for (const size of [1, 2, 3, 4, 64]) {
      for (const each of await bothWays(text, 'application/json', size, ['nabcdef7-abc='])) {
        expect(each.toString()).toBe(String.raw`"\\\\[secret] \nabcdef7-abc\u003d"`);
      }
    }
  });

  it('costs a few searches, however much is escaped', async () => {
    const escaped = Buffer.from(String.raw`\u0061%61`.repeat(200_000));
    const [held] = await bothWays(escaped, 'application/json', escaped.byteLength, [`${'a'.repeat(1_000)}b`]);
    expect(held.equals(escaped)).toBe(true);
  });
});

const PIECES = [1, 7, 4096];

/** The same with pieces of each size. */
async function masked(text: string, secrets: string[], contentType = 'application/json'): Promise<string> {
  const all = await Promise.all(PIECES.map((size) => bothWays(Buffer.from(text), contentType, size, secrets)));
  const [first, ...others] = all.flat().map(String);
  for (const other of others) expect(other).toBe(first);
  return first ?? '';
}

describe('what only looks like a secret', () => {
  it('stays within words and numbers, and JSON stays JSON', async () => {
    const text = JSON.stringify({
      ...{ path: '/customers/1', customer: 'the customer, "customer"', états: 'customer\n\u00e9' },
      ...{ day: 20261128, ids: [20261128, 120261128, -20261128, 2026112.8], at: '120261128 20261128' },
    });
    const left = await masked(text, ['customer', '20261128', '2026112.8']);
    expect(JSON.parse(left)).toEqual({
      ...{ path: '/customers/1', '[secret]': 'the [secret], "[secret]"', états: '[secret]\n\u00e9' },
      ...{ day: '[secret]', ids: ['[secret]', 120261128, -20261128, '[secret]'], at: '120261128 [secret]' },
    });
    expect(await masked('customers: customer=20261128&120261128', ['customer', '20261128'], 'text/plain')).toBe(
      'customers: [secret]=[secret]&120261128',
    );
  });

  it('stays where it is short', async () => {
    const text = '{"order":123456,"note":"test passed, 1234567"}';
    expect(await masked(text, ['1234', 'test', '1234567'])).toBe(text);
  });

  it('is removed from within a word where no text has it by chance', async () => {
    const [key, number] = ['k3y-of-the-link', '12345678901234567890'];
    const text = `{"a":"x${key}y${number}7","b":${number},"c":${number}7}`;
    expect(await masked(text, [key, number])).toBe(`{"a":"x[secret]y[secret]7","b":"[secret]","c":${number}7}`);
    // no JSON, whatever it says of itself
    expect(await masked(`wrong key ${number}, or "${key}`, [key, number])).toBe('wrong key "[secret]", or "[secret]');
  });
});

describe('a text in pieces', () => {
  it('is searched only when enough has come, however small its pieces are', async () => {
    const secret = 'k3y/'.repeat(400);
    const body = Buffer.from(String.raw`\n`.repeat(20_000));
    const pieces = Readable.from(Array.from(body, (byte) => Buffer.from([byte])));
    const answer = { statusCode: 200, headers: {}, url: '', body: Buffer.alloc(0), stream: pieces };
    const searched: Buffer[] = [];
    for await (const piece of withoutSecrets(answer, [secret]).stream!) searched.push(piece);
    expect(Buffer.concat(searched).equals(body)).toBe(true);
    // each search is of what has come since, and of the six times 1,600 characters before that
    expect(searched.length).toBeLessThan(8);
  });

  it('loses the same as one that is whole, and every secret that is one', async () => {
    const secrets = [String.raw`s3cret/of\the link`, 'aXaXaXaXaXa1'];
    const spellings = secrets.flatMap((secret) => {
      const inJson = JSON.stringify(secret).slice(1, -1);
      const inUnits = [...secret].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('');
      return [secret, inJson, JSON.stringify(inJson).slice(1, -1), inUnits, encodeURIComponent(secret)];
    });
    const part = fc.constantFrom(...spellings, ...[' ', 'x', '"', ',', '\\', '\\n', '%2', '%20', '1', '.', 'é', 'aX']);
    const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''));
    const size = fc.constantFrom(1, 2, 5, 13, 64, 150);
    const type = fc.constantFrom('text/plain', 'application/json', 'application/json; charset=utf-16le');
    await fc.assert(
      fc.asyncProperty(text, size, type, async (body, pieceBytes, contentType) => {
        const charset = contentType.endsWith('16le') ? 'utf-16le' : 'utf-8';
        const [held, streamed] = await bothWays(encoded(body, charset), contentType, pieceBytes, secrets);
        const decoded = new TextDecoder(charset).decode(streamed);
        expect(decoded).toBe(new TextDecoder(charset).decode(held));
        for (const kept of secrets) expect(decoded).not.toContain(kept);
      }),
      { numRuns: 300 },
    );
  });
});
