import type { KvSource } from '@weft/layers';
import { TenantScope } from '@weft/store';
import { type KvRepository } from '@weft/records';
import type { NewId } from '@weft/kernel';
import { retryWhileUnavailable } from '../plays/store-retries.js';

/**
 * The key-value stores in MongoDB, as layers use them: a layer does not fail because MongoDB is unreachable. A change whose
 * answer was lost is repeated under its name, and made once.
 */
export function storedKv(store: KvRepository, newId: NewId, closing: () => boolean): KvSource {
  const scoped = (companyId: string): TenantScope => new TenantScope(companyId);
  return {
    get: async (companyId, key) => {
      const entry = await retryWhileUnavailable(() => store.find(scoped(companyId), key), closing);
      return { value: entry?.value ?? null, existed: entry !== null, version: entry?.version ?? null };
    },
    add: (companyId, change, value, ttlMs) => {
      const request = { ...change, newId: newId() };
      return retryWhileUnavailable(() => store.add(scoped(companyId), request, value, ttlMs), closing);
    },
    set: (companyId, change, value, ttlMs) => {
      const request = { ...change, newId: newId() };
      return retryWhileUnavailable(() => store.set(scoped(companyId), request, value, ttlMs), closing);
    },
    increment: (companyId, change, by, ttlMs) => {
      const request = { ...change, newId: newId() };
      return retryWhileUnavailable(() => store.increment(scoped(companyId), request, by, ttlMs), closing);
    },
    delete: (companyId, change) => {
      const request = { ...change, newId: newId() };
      return retryWhileUnavailable(() => store.remove(scoped(companyId), request), closing);
    },
  };
}
