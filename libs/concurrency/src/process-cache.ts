import { LRUCache } from 'lru-cache';
import { approximateBytes } from './approximate-bytes.js';

const MINUTE_MS = 60_000;

/** How long an entry of each type is kept after it was stored: docs/operator-contract.md §4. */
export const CACHE_LIFETIMES_MS = {
  test_case_fixtures: 24 * 60 * MINUTE_MS,
  module_definitions: 60 * MINUTE_MS,
  flow_definitions: 5 * MINUTE_MS,
} as const;

export type CacheType = keyof typeof CACHE_LIFETIMES_MS;
export type EvictionReason = 'ttl_expired' | 'capacity';

/** The part of the cache for one type. Readers never change the values in it. */
export interface CacheView<Value extends object> {
  get(key: string): Value | undefined;
  /** @param bytes that the value takes in memory; default: an estimate */
  set(key: string, value: Value, bytes?: number): void;
  delete(key: string): void;
}

export interface ProcessCacheOptions {
  /** Of all types together; the least recently used values are evicted first. */
  readonly maxBytes: number;
  readonly onEvicted: (type: CacheType, reason: EvictionReason) => void;
  readonly monotonicMs: () => number;
}

interface Slot {
  readonly type: CacheType;
  readonly value: object;
}

/**
 * The definitions that a process keeps in memory, within one limit in bytes. It only saves reads: its readers make sure that a
 * value is current (flows are read again each second, versions and fixtures are kept under names that change with them), so a
 * lost message makes nothing stale. Take a view of it for values of unknown size that share the limit; take `ReadThroughCache`
 * for small records that must be at most a second old.
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

  /** @returns how many entries were past their lifetime */
  evictExpired(): number {
    const before = this.slots.size;
    this.slots.purgeStale();
    return before - this.slots.size;
  }

  get bytes(): number {
    return this.slots.calculatedSize;
  }
}
