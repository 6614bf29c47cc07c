import { WeftError } from '@weft/kernel';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readHookBody } from '../triggers/hooks/read-hook.js';
import { parseFreeJson, parseJsonBody } from './json-body.js';

afterEach(() => vi.restoreAllMocks());

const MB = 1024 * 1024;
const READERS: readonly (readonly [string, number, (body: Buffer) => unknown])[] = [
  ['bodies of the API', MB, (body) => parseJsonBody(body)],
  ['args that were uploaded', 8 * MB, (body) => parseFreeJson(body, 'args.$ref')],
  ['deliveries', MB, (body) => readHookBody(body, 'application/json; charset=utf-8')],
];

describe.each(READERS)('the reader of %s', (_what, bytes, read) => {
  it('refuses brackets up to its limit before they are parsed', () => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(() => read(Buffer.alloc(bytes, '['))).toThrow(WeftError);
    expect(() => read(Buffer.alloc(bytes, '{"a":'))).toThrow(/nested deeper/);
    expect(parse).not.toHaveBeenCalled();
  });

  it('refuses bytes that are not UTF-8 as JSON that is malformed', () => {
    const latin = Buffer.from('{"a":"M\xfcller"}', 'latin1');
    expect(() => read(latin)).toThrow(expect.objectContaining({ code: 'malformed_json' }));
  });

  it('keeps every digit', () => {
    expect(read(Buffer.from('\ufeff{"id":7615917337495251231}'))).toEqual({ id: 7615917337495251231n });
  });
});
