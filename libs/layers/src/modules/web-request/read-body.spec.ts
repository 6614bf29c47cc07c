import { describe, expect, it } from 'vitest';
import { readBody } from './read-body.js';

const LATIN = Buffer.from([0x63, 0x61, 0x66, 0xe9]); // "café" in Latin-1, not valid UTF-8

describe('readBody', () => {
  it.each<[string | undefined, Buffer, string, unknown]>([
    ['text/plain', Buffer.from('héllo'), 'héllo', null],
    [undefined, Buffer.from('plain'), 'plain', null],
    ['application/octet-stream', Buffer.from('plain'), 'plain', null],
    ['text/html; charset=ISO-8859-1', LATIN, 'café', null],
    ['text/plain; charset="latin1"', LATIN, 'café', null],
    ['text/plain', LATIN, 'café', null],
    ['text/plain; charset=utf-16le', Buffer.from('hé', 'utf16le'), 'hé', null],
    ['text/plain; charset=no-such-thing', Buffer.from('hé'), 'hé', null],
    ['application/json', Buffer.from('{"a":[1]}'), '{"a":[1]}', { a: [1] }],
    ['Application/JSON ; charset=UTF-8', Buffer.from('5'), '5', 5],
    ['application/problem+json', Buffer.from('{}'), '{}', {}],
    ['application/json', Buffer.from('\ufeff{"a":1}'), '\ufeff{"a":1}', { a: 1 }],
    ['application/json', Buffer.from('{broken'), '{broken', null],
    ['application/jsonp', Buffer.from('{}'), '{}', null],
    ['application/json', Buffer.alloc(0), '', null],
  ])('reads %s', (contentType, bytes, body, json) => {
    expect(readBody(bytes, contentType)).toEqual({ body, json });
  });

  it.each(['application/octet-stream', 'image/png', 'application/json', undefined])(
    'keeps every byte of %s that is no text',
    (type) => {
      const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff, 0xfe]);
      const read = readBody(bytes, type);
      expect(read).toMatchObject({ bodyEncoding: 'base64', json: null });
      expect(Buffer.from(read.body, 'base64')).toEqual(bytes);
    },
  );

  it('leaves JSON that is too deep for the store as text', () => {
    const nested = (levels: number): Buffer => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    expect(readBody(nested(64), 'application/json').json).not.toBeNull();
    expect(readBody(nested(65), 'application/json').json).toBeNull();
    const bomb = readBody(nested(1_000_000), 'application/json');
    expect([bomb.json, bomb.body.length]).toEqual([null, 2_000_000]);
  });

  it('takes __proto__ in JSON as a name like any other', () => {
    const { json } = readBody(Buffer.from('{"__proto__":{"polluted":true}}'), 'application/json');
    expect(Object.hasOwn(json as object, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
