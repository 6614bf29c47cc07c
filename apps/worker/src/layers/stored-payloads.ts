import type { LayerPayloads } from '@weft/layers';
import { TenantScope, type PayloadStore } from '@weft/persistence';
import { patiently } from '../plays/patience.js';

/** Large outputs lie in MongoDB, each under its company: a layer does not fail because it is away when its call has ended. */
export function storedPayloads(store: Pick<PayloadStore, 'put' | 'get'>, closing: () => boolean): LayerPayloads {
  return {
    put: (of, content) => patiently(() => store.put(new TenantScope(of.companyId), of, content), closing),
    get: (companyId, ref) => patiently(() => store.get(new TenantScope(companyId), ref), closing),
  };
}
