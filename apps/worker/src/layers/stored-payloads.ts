import type { LayerPayloads } from '@weft/layers';
import { TenantScope, type PayloadStore } from '@weft/persistence';

/** Large outputs are stored in MongoDB, each under its company. */
export function storedPayloads(store: Pick<PayloadStore, 'put' | 'upload' | 'open' | 'discard'>): LayerPayloads {
  return {
    put: ({ companyId, ...owner }, content) => store.put(new TenantScope(companyId), owner, content),
    upload: ({ companyId, ...owner }) => store.upload(new TenantScope(companyId), owner),
    open: (companyId, ref) => store.open(new TenantScope(companyId), ref),
    discard: (companyId, ref) => store.discard(new TenantScope(companyId), ref),
  };
}
