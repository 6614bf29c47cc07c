import { TenantScope } from '@weft/store';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { storedPayloads } from './stored-payloads.js';

const FILE = { $ref: '/api/v1/payloads/x', bytes: 2, contentType: 'text/csv', filename: null, sha256: '' };
const pieces = Readable.from([]);

describe('storedPayloads', () => {
  it('names the company of each payload to the store', async () => {
    const asked: unknown[] = [];
    const note =
      <T>(answer: T) =>
      (...args: unknown[]): T => {
        asked.push(args);
        return answer;
      };
    const ref = { $ref: 'r', bytes: 2 };
    const payloads = storedPayloads({
      put: note(Promise.resolve(ref)),
      upload: note({} as never),
      open: note(Promise.resolve(null)),
      discard: note(Promise.resolve()),
      userFiles: { open: note(Promise.resolve(null)), keep: note(Promise.resolve(FILE)) } as never,
    });
    const of = { companyId: 'c', flowId: 'f', playId: 'p' };
    const content = Buffer.from('{}');
    expect(await payloads.put(of, content)).toEqual(ref);
    payloads.upload(of);
    expect(await payloads.open('c', ref)).toBeNull();
    await payloads.discard('c', ref);
    const label = { contentType: 'text/csv', filename: null };
    expect(await payloads.files?.open('c', 'id')).toBeNull();
    expect(await payloads.files?.store(of, pieces, label)).toBe(FILE);
    const scope = new TenantScope('c');
    const owner = { flowId: 'f', playId: 'p' };
    expect(asked).toEqual([
      [scope, owner, content, undefined],
      [scope, owner],
      [scope, ref],
      [scope, ref],
      [scope, 'id'],
      [scope, owner, pieces, label],
    ]);
  });
});
