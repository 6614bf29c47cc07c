import type { LayerPayloads } from '@weft/layers';
import { TenantScope, type PayloadStore } from '@weft/persistence';

/** Large outputs lie in MongoDB, each under its company. */
export function storedPayloads(store: PayloadStore): LayerPayloads {
  return {
    put: (of, content) => store.put(new TenantScope(of.companyId), of, content),
    get: (companyId, ref) => store.get(new TenantScope(companyId), ref),
  };
}
