import type { KvSource } from '@weft/layers';
import { TenantScope, type KvRepository } from '@weft/persistence';
import type { NewId } from '@weft/kernel';
import { patiently } from '../plays/patience.js';

/**
 * The key-value stores of MongoDB, as layers use them: a layer does not fail because MongoDB is away. A change whose answer was
 * lost is asked for again under its name, and made once.
 */
export function storedKv(store: KvRepository, newId: NewId, closing: () => boolean): KvSource {
  const scoped = (companyId: string): TenantScope => new TenantScope(companyId);
  return {
    get: async (companyId, key) => {
      const entry = await patiently(() => store.find(scoped(companyId), key), closing);
      return { value: entry?.value ?? null, existed: entry !== null };
    },
    set: async (companyId, change, value, ttlMs) => {
      const request = { ...change, newId: newId() };
      return (await patiently(() => store.set(scoped(companyId), request, value, ttlMs), closing)).existed;
    },
    increment: (companyId, change, by, ttlMs) => {
      const request = { ...change, newId: newId() };
      return patiently(() => store.increment(scoped(companyId), request, by, ttlMs), closing);
    },
    delete: (companyId, change) => {
      const request = { ...change, newId: newId() };
      return patiently(() => store.remove(scoped(companyId), request), closing);
    },
  };
}
