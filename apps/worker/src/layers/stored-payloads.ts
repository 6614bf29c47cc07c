import type { LayerPayloads } from '@weft/layers';
import { TenantScope, type PayloadStore } from '@weft/store';

/** Large outputs are stored in MongoDB, each under its company. */
export function storedPayloads(
  store: Pick<PayloadStore, 'put' | 'upload' | 'open' | 'discard' | 'userFiles'>,
): LayerPayloads {
  const { userFiles } = store;
  return {
    files: {
      open: (companyId, id) => userFiles.open(new TenantScope(companyId), id),
      store: ({ companyId, ...owner }, content, label) =>
        userFiles.keep(new TenantScope(companyId), owner, content, label),
    },
    put: ({ companyId, ...owner }, content, form) => store.put(new TenantScope(companyId), owner, content, form),
    upload: ({ companyId, ...owner }) => store.upload(new TenantScope(companyId), owner),
    open: (companyId, ref) => store.open(new TenantScope(companyId), ref),
    discard: (companyId, ref) => store.discard(new TenantScope(companyId), ref),
  };
}
