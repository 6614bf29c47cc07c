import { LRUCache } from 'lru-cache';
import type { CacheView } from './process-cache.js';
import { FRESH_MS, RefreshAhead } from './refresh-ahead.js';

/** An answer, as it is kept. */
export interface ReadThroughEntry<Value> {
  readonly value: Value;
  /** Monotonic, from before the question was sent. */
  readonly askedAt: number;
}

interface Waiter<Value> {
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface Questions<Value> {
  /** One query for all keys that are due. A key without a value does not exist; that is not kept. */
  readonly ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  readonly monotonicMs: () => number;
}

/** The most keys that are kept, of which the least recently used are dropped first; or where they are kept. */
type Memory<Value> = { readonly max: number } | { readonly memory: CacheView<ReadThroughEntry<Value>> };

export type ReadThroughCacheOptions<Value> = Questions<Value> & Memory<Value>;

/**
 * Values by key from a store that may change them: from memory, without a promise, while they are younger than `FRESH_MS`,
 * otherwise by one query for all keys that are due, one query at a time. Keys in use are read again before that, together. For
 * values that never change, take a view of `ProcessCache` and a `SingleFlight`.
 */
export class ReadThroughCache<Value extends object> {
  private readonly entries: CacheView<ReadThroughEntry<Value>> | LRUCache<string, ReadThroughEntry<Value>>;
  private due = new Map<string, Waiter<Value>[]>();
  private asking = false;
  /** Keys dropped during a query: its answer about them may be from before the change. */
  private readonly changed = new Set<string>();
  private readonly ahead = new RefreshAhead<string>((keys) => {
    for (const key of keys) this.load(key).catch(() => undefined); // the next caller asks again and gets the error
  });

  constructor(private readonly options: ReadThroughCacheOptions<Value>) {
    this.entries = 'memory' in options ? options.memory : new LRUCache({ max: options.max });
  }

  /** A promise only when the store must be read; undefined when the key does not exist. */
  get(key: string): Value | Promise<Value | undefined> {
    const entry = this.entries.get(key);
    const ageMs = entry ? this.options.monotonicMs() - entry.askedAt : FRESH_MS;
    if (!entry || ageMs >= FRESH_MS) return this.load(key);
    this.ahead.used(key, ageMs);
    return entry.value;
  }

  /** The value has changed: the next `get` reads it. */
  drop(key: string): void {
    this.entries.delete(key);
    if (this.asking) this.changed.add(key);
  }

  private load(key: string): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      const waiters = this.due.get(key);
      if (waiters) waiters.push({ resolve, reject });
      else this.due.set(key, [{ resolve, reject }]);
      if (!this.asking) {
        this.asking = true;
        queueMicrotask(() => void this.askAll());
      }
    });
  }

  private async askAll(): Promise<void> {
    while (this.due.size > 0) {
      const batch = this.due;
      this.due = new Map();
      this.changed.clear();
      const askedAt = this.options.monotonicMs();
      try {
        this.settle(batch, await this.options.ask([...batch.keys()]), askedAt);
      } catch (error) {
        for (const waiters of batch.values()) for (const waiter of waiters) waiter.reject(error);
      }
    }
    this.asking = false;
  }

  private settle(
    batch: ReadonlyMap<string, Waiter<Value>[]>,
    found: ReadonlyMap<string, Value>,
    askedAt: number,
  ): void {
    for (const [key, waiters] of batch) {
      const value = found.get(key);
      if (value === undefined) this.entries.delete(key);
      else if (!this.changed.has(key)) this.entries.set(key, { value, askedAt });
      for (const waiter of waiters) waiter.resolve(value);
    }
  }
}
