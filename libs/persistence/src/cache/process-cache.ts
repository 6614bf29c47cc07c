import { LRUCache } from 'lru-cache';
import { approximateBytes } from './approximate-bytes.js';

const MINUTE_MS = 60_000;

/** How long an entry of each kind is kept after it was stored: specification §6.5. */
export const CACHE_LIFETIMES_MS = {
  test_case_fixtures: 24 * 60 * MINUTE_MS,
  module_definitions: 60 * MINUTE_MS,
  flow_definitions: 5 * MINUTE_MS,
} as const;

export type CacheType = keyof typeof CACHE_LIFETIMES_MS;
export type EvictionReason = 'ttl_expired' | 'capacity';

/** One kind's part of the cache. What is in it is never changed by who reads it. */
export interface CacheView<Value extends object> {
  get(key: string): Value | undefined;
  /** @param bytes what it takes in memory, estimated unless told */
  set(key: string, value: Value, bytes?: number): void;
  delete(key: string): void;
}

export interface ProcessCacheOptions {
  /** Of all kinds together; what was not used for the longest time goes first. */
  readonly maxBytes: number;
  readonly onEvicted: (type: CacheType, reason: EvictionReason) => void;
  readonly monotonicMs: () => number;
}

interface Slot {
  readonly type: CacheType;
  readonly value: object;
}

/**
 * What a process remembers of definitions, within one bound in bytes. It only saves reading: whether what it has is still
 * true is the reader's business (flows are asked for again each second, versions and fixtures are kept under names that
 * change with them), so a message that gets lost makes nothing stale.
 */
export class ProcessCache {
  private readonly slots: LRUCache<string, Slot>;

  constructor({ maxBytes, onEvicted, monotonicMs }: ProcessCacheOptions) {
    this.slots = new LRUCache({
      maxSize: maxBytes,
      ttl: Math.max(...Object.values(CACHE_LIFETIMES_MS)),
      ttlResolution: 0,
      perf: { now: monotonicMs },
      dispose: ({ type }, _key, reason) => {
        if (reason === 'evict') onEvicted(type, 'capacity');
        if (reason === 'expire') onEvicted(type, 'ttl_expired');
      },
    });
  }

  of<Value extends object>(type: CacheType): CacheView<Value> {
    const ttl = CACHE_LIFETIMES_MS[type];
    const nameOf = (key: string) => `${type} ${key}`;
    return {
      get: (key) => this.slots.get(nameOf(key))?.value as Value | undefined,
      set: (key, value, bytes = approximateBytes(value)) =>
        void this.slots.set(nameOf(key), { type, value }, { ttl, size: Math.max(1, bytes) }),
      delete: (key) => void this.slots.delete(nameOf(key)),
    };
  }

  /** Throws out what is past its lifetime. @returns how many entries */
  evictExpired(): number {
    const before = this.slots.size;
    this.slots.purgeStale();
    return before - this.slots.size;
  }

  get bytes(): number {
    return this.slots.calculatedSize;
  }
}
