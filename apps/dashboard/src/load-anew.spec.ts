import { describe, expect, it } from 'vitest';
import { mayLoadAnew } from './load-anew';

describe('mayLoadAnew', () => {
  it('says yes once in half a minute', () => {
    const kept = new Map<string, string>();
    const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: kept.set.bind(kept) };
    expect([0, 1, 29_999, 30_000, 59_999, 90_000].map((ms) => mayLoadAnew(storage, ms))).toEqual([
      true,
      false,
      false,
      true,
      false,
      true,
    ]);
  });
});
