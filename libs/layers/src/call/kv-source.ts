import { KV_KEYS_SHOWN, type KvUse } from '@weft/engine';
import { LayerFailure, type LayerContext } from '../layer-module.js';

/** Why a change of an entry was refused. */
export type KvRefusal = 'not_a_number' | 'out_of_range';

/**
 * The key-value stores of companies. A change with the same `once` is made once, and repeating it gives the same
 * result.
 */
export interface KvSource {
  get(companyId: string, key: string): Promise<{ readonly value: unknown; readonly existed: boolean }>;
  set(companyId: string, change: KvChange, value: unknown, ttlMs: number | null): Promise<boolean>;
  increment(
    companyId: string,
    change: KvChange,
    by: number,
    ttlMs: number | null,
  ): Promise<{ readonly value: number; readonly existed: boolean } | { readonly refused: KvRefusal }>;
  delete(companyId: string, change: KvChange): Promise<boolean>;
}

export interface KvChange {
  readonly key: string;
  readonly once: string;
}

const notHere = (): Promise<never> => Promise.reject(new Error('there is no key-value store here'));

/** For processes without a store. */
export const NO_KV: KvSource = { get: notHere, set: notHere, increment: notHere, delete: notHere };

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
  const changing = (key: string): KvChange => {
    changes += 1;
    tally().write(key);
    return { key, once: `${idempotencyKey}#${changes}` };
  };
  return {
    get: (key) => {
      tally().read(key);
      return source.get(companyId, key);
    },
    set: async (key, value, ttlMs = null) => {
      assertFits(key, value);
      return { existed: await source.set(companyId, changing(key), value, ttlMs) };
    },
    increment: async (key, by = 1, ttlMs = null) => {
      const counted = await source.increment(companyId, changing(key), by, ttlMs);
      if ('refused' in counted) throw new LayerFailure(counted.refused, `"${key}" ${REFUSALS[counted.refused]}.`);
      return counted;
    },
    delete: async (key) => ({ existed: await source.delete(companyId, changing(key)) }),
  };
}

function assertFits(key: string, value: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? 'null');
  if (bytes <= MAX_KV_BYTES) return;
  throw new LayerFailure(
    'value_too_large',
    `The value of "${key}" has ${bytes} bytes; at most ${MAX_KV_BYTES} are kept.`,
  );
}
