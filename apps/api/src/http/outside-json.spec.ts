import { WeftError } from '@weft/kernel';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readHookBody } from '../triggers/hooks/read-hook.js';
import { parseFreeJson, parseJsonBody } from './json-body.js';

afterEach(() => vi.restoreAllMocks());

const MB = 1024 * 1024;
const none = () => Promise.reject(new Error('no file'));
const READERS: readonly (readonly [string, number, (body: Buffer) => Promise<unknown>])[] = [
  ['bodies of the API', MB, async (body) => parseJsonBody(body)],
  ['args that were uploaded', 8 * MB, async (body) => parseFreeJson(body, 'args.$ref')],
  ['deliveries', MB, (body) => readHookBody({ body, contentType: 'application/json; charset=utf-8' }, false, none)],
];

describe.each(READERS)('the reader of %s', (_what, bytes, read) => {
  it('refuses brackets up to its limit before they are parsed', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    await expect(read(Buffer.alloc(bytes, '['))).rejects.toThrow(WeftError);
    await expect(read(Buffer.alloc(bytes, '{"a":'))).rejects.toThrow(/nested deeper/);
    expect(parse).not.toHaveBeenCalled();
  });

  it('refuses bytes that are not UTF-8 as JSON that is malformed', async () => {
    const latin = Buffer.from('{"a":"M\xfcller"}', 'latin1');
    await expect(read(latin)).rejects.toThrow(expect.objectContaining({ code: 'malformed_json' }));
  });

  it('keeps every digit', async () => {
    expect(await read(Buffer.from('\ufeff{"id":7615917337495251231}'))).toEqual({ id: 7615917337495251231n });
  });
});
