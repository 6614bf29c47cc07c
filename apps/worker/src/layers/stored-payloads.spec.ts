import { TenantScope } from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { storedPayloads } from './stored-payloads.js';

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
    });
    const of = { companyId: 'c', flowId: 'f', playId: 'p' };
    const content = Buffer.from('{}');
    expect(await payloads.put(of, content)).toEqual(ref);
    payloads.upload(of);
    expect(await payloads.open('c', ref)).toBeNull();
    await payloads.discard('c', ref);
    const scope = new TenantScope('c');
    const owner = { flowId: 'f', playId: 'p' };
    expect(asked).toEqual([
      [scope, owner, content],
      [scope, owner],
      [scope, ref],
      [scope, ref],
    ]);
  });
});
