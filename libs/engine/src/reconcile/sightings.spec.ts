import { describe, expect, it } from 'vitest';
import { Sightings, isOwnerDead } from './sightings.js';

const sign = (owner: string | undefined, beat: number) => ({ _id: 'p', owner, heartbeatAt: new Date(beat) });

describe('Sightings', () => {
  it('count from the first look at a sign of life, and anew with the next one or another owner', () => {
    const seen = new Sightings();
    expect(seen.sinceMs(sign('w:1', 100))).toBeNull();
    seen.observe(sign('w:1', 100), 1);
    seen.observe(sign('w:1', 100), 2);
    expect(seen.sinceMs(sign('w:1', 100))).toBe(1);
    for (const [next, at] of [
      [sign('w:1', 101), 3],
      [sign('w:2', 101), 4],
      [sign('w:2', 99), 5],
    ] as const) {
      expect(seen.sinceMs(next)).toBeNull();
      seen.observe(next, at);
      expect(seen.sinceMs(next)).toBe(at);
    }
    expect(seen.silentSince(4)).toEqual([]);
    expect(seen.silentSince(5)).toEqual(['p']);
  });

  it('forget a play that nobody owns any more', () => {
    const seen = new Sightings();
    seen.observe(sign('w:1', 100), 1);
    seen.observe(sign(undefined, 100), 2);
    expect(seen.silentSince(9)).toEqual([]);
  });
});

it('takes an owner for dead by what was seen alone, whatever the clock of MongoDB shows', () => {
  const times = { leaseMs: 15_000 };
  for (const serverMs of [-1e12, 0, 1e12]) {
    const dead = (sinceMs: number | null, monotonicMs: number) =>
      isOwnerDead(sign('w:1', 0), sinceMs, { monotonicMs, serverMs }, times);
    expect(dead(null, 1e12)).toBe(false);
    expect(dead(1_000, 15_999)).toBe(false);
    expect(dead(1_000, 16_000)).toBe(true);
  }
});
