import { LRUCache } from 'lru-cache';
import type { CacheView } from './cache/process-cache.js';
import { FRESH_MS, RefreshAhead } from './refresh-ahead.js';

/** An answer, as it is remembered. */
export interface FreshEntry<Value> {
  readonly value: Value;
  /** Monotonic, from before the question was sent. */
  readonly askedAt: number;
}

interface Waiter<Value> {
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface Questions<Value> {
  /** One question for all keys that are due. What the answer lacks is not there, and not remembered. */
  readonly ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  readonly monotonicMs: () => number;
}

/** Keys kept at most, of which those not used for the longest time go first; or where they are kept. */
type Memory<Value> = { readonly max: number } | { readonly memory: CacheView<FreshEntry<Value>> };

export type FreshReadsOptions<Value> = Questions<Value> & Memory<Value>;

/**
 * What MongoDB says of a key, answered from memory without a promise while it is younger than a second, else by one question
 * for all keys that are due, one question at a time. Keys in use are asked for again before that, together.
 */
export class FreshReads<Value extends object> {
  private readonly entries: CacheView<FreshEntry<Value>> | LRUCache<string, FreshEntry<Value>>;
  private due = new Map<string, Waiter<Value>[]>();
  private asking = false;
  /** Keys dropped while a question was on its way: its answer about them may be from before the change. */
  private readonly changed = new Set<string>();
  private readonly ahead = new RefreshAhead<string>((keys) => {
    for (const key of keys) this.load(key).catch(() => undefined); // who comes next asks, and hears it
  });

  constructor(private readonly options: FreshReadsOptions<Value>) {
    this.entries = 'memory' in options ? options.memory : new LRUCache({ max: options.max });
  }

  /** A promise only when MongoDB must be asked; undefined when there is nothing under this key. */
  get(key: string): Value | Promise<Value | undefined> {
    const entry = this.entries.get(key);
    const ageMs = entry ? this.options.monotonicMs() - entry.askedAt : FRESH_MS;
    if (!entry || ageMs >= FRESH_MS) return this.load(key);
    this.ahead.used(key, ageMs);
    return entry.value;
  }

  /** It has changed: the next `get` asks. */
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
