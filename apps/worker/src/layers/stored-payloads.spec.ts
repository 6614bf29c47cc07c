import { TenantScope } from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { storedPayloads } from './stored-payloads.js';

const OF = { companyId: 'c', flowId: 'f', playId: 'p' };

describe('storedPayloads', () => {
  it('keeps what a layer gave until MongoDB is back', async () => {
    const asked: unknown[] = [];
    const put = (scope: TenantScope, owner: unknown, content: unknown) => {
      asked.push([scope, owner, content]);
      const away = Object.assign(new Error('away'), { name: 'MongoNetworkError' });
      return asked.length === 1 ? Promise.reject(away) : Promise.resolve({ $ref: 'r', bytes: 2 });
    };
    const payloads = storedPayloads({ put, get: () => Promise.resolve(null) }, () => false);
    const content = Buffer.from('{}');
    expect(await payloads.put(OF, content)).toEqual({ $ref: 'r', bytes: 2 });
    expect(asked).toEqual([0, 1].map(() => [new TenantScope('c'), OF, content]));
  });
});
