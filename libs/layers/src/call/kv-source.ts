import { KV_KEYS_SHOWN, type KvUse } from '@weft/engine';
import { LayerFailure, type KvChanged, type KvFound, type LayerContext } from '../layer-module.js';

/** Why a change of an entry was refused. */
export type KvRefusal = 'not_a_number' | 'out_of_range' | 'version_conflict';

export interface KvRefused {
  readonly refused: KvRefusal;
}

/**
 * The key-value stores of companies. A change with the same `once` is made once, and repeating it gives the same
 * result.
 */
export interface KvSource {
  get(companyId: string, key: string): Promise<KvFound>;
  add(companyId: string, change: KvChange, value: unknown, ttlMs: number | null): Promise<KvFound>;
  set(companyId: string, change: KvChange, value: unknown, ttlMs: number | null): Promise<KvChanged | KvRefused>;
  increment(
    companyId: string,
    change: KvChange,
    by: number,
    ttlMs: number | null,
  ): Promise<(KvChanged & { readonly value: number }) | KvRefused>;
  delete(companyId: string, change: KvChange): Promise<{ readonly existed: boolean } | KvRefused>;
}

export interface KvChange {
  readonly key: string;
  readonly once: string;
  readonly ifVersion?: number;
}

const notHere = (): Promise<never> => Promise.reject(new Error('there is no key-value store here'));

/** For processes without a store. */
export const NO_KV: KvSource = { get: notHere, add: notHere, set: notHere, increment: notHere, delete: notHere };

/** What the calls of one layer did with the store, all items of a loop together. */
export class KvTally {
  private reads = 0;
  private writes = 0;
  private readonly keys = new Set<string>();

  read(key: string): void {
    this.reads += 1;
    this.note(key);
  }

  write(key: string): void {
    this.writes += 1;
    this.note(key);
  }

  /** Undefined: the store was not used. */
  get use(): KvUse | undefined {
    const { reads, writes } = this;
    return reads + writes === 0 ? undefined : { reads, writes, keys: [...this.keys] };
  }

  private note(key: string): void {
    if (this.keys.size < KV_KEYS_SHOWN) this.keys.add(key);
  }
}

/** The largest entry, in bytes as JSON. */
export const MAX_KV_BYTES = 65_536;

const REFUSALS: Record<KvRefusal, string> = {
  not_a_number: 'has a value that is no number and cannot be counted up',
  out_of_range: 'would become a number that is not exact any more',
  version_conflict: 'has another version, or is not there any more: it was changed in between',
};

/**
 * The store of the play's company, for one call: its changes are numbered, so that a repeated call repeats the same
 * ones.
 */
export function kvOf(
  source: KvSource,
  companyId: string,
  idempotencyKey: string,
  tally: () => KvTally,
): LayerContext['kv'] {
  let changes = 0;
  const changing = (key: string, ifVersion?: number): KvChange => {
    changes += 1;
    tally().write(key);
    return { key, once: `${idempotencyKey}#${changes}`, ...(ifVersion !== undefined && { ifVersion }) };
  };
  return {
    get: (key) => {
      tally().read(key);
      return source.get(companyId, key);
    },
    add: async (key, value, ttlMs = null) => {
      assertFits(key, value);
      return source.add(companyId, changing(key), value, ttlMs);
    },
    set: async (key, value, ttlMs = null, ifVersion) => {
      assertFits(key, value);
      return done(key, await source.set(companyId, changing(key, ifVersion), value, ttlMs));
    },
    increment: async (key, by = 1, ttlMs = null) =>
      done(key, await source.increment(companyId, changing(key), by, ttlMs)),
    delete: async (key, ifVersion) => done(key, await source.delete(companyId, changing(key, ifVersion))),
  };
}

function done<T extends object>(key: string, result: T | KvRefused): T {
  if ('refused' in result) throw new LayerFailure(result.refused, `"${key}" ${REFUSALS[result.refused]}.`);
  return result;
}

function assertFits(key: string, value: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? 'null');
  if (bytes <= MAX_KV_BYTES) return;
  throw new LayerFailure(
    'value_too_large',
    `The value of "${key}" has ${bytes} bytes; at most ${MAX_KV_BYTES} are kept.`,
  );
}
