/** What a play did with its company's key-value store: reported by the layer runner, stored in the log, summed by the journal. */

/** What one call of a layer did, all items of a loop together. */
export interface KvUse {
  readonly reads: number;
  readonly writes: number;
  /** The first names that it used, each once. */
  readonly keys: readonly string[];
}

/** As many names as a summary shows. */
export const KV_KEYS_SHOWN = 100;

export function sumOfKvUse(uses: Iterable<KvUse>): KvUse {
  let [reads, writes] = [0, 0];
  const keys = new Set<string>();
  for (const use of uses) {
    reads += use.reads;
    writes += use.writes;
    for (const key of use.keys) if (keys.size < KV_KEYS_SHOWN) keys.add(key);
  }
  return { reads, writes, keys: [...keys] };
}
