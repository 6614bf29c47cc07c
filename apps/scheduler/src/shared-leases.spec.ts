import type { Lease } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { SharedLeases } from './shared-leases.js';

/** One company, its lease, and the time by MongoDB's clock and by those of all processes. */
function world() {
  const clock = { now: 0 };
  const stored = new Map<string, { holder: string; until: number }>();
  let isAway = false;
  const answer = <T>(value: () => T): Promise<T> =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve(value());
  const isHeld = (name: string) => (stored.get(name)?.until ?? 0) > clock.now;
  const isHis = (name: string, holder: string) => stored.get(name)?.holder === holder;
  const leases = {
    take: (_scope: unknown, { name, holder }: Lease, forMs: number) =>
      answer(() => {
        if (isHeld(name) && !isHis(name, holder)) return false;
        stored.set(name, { holder, until: clock.now + forMs });
        return true;
      }),
    renew: (_scope: unknown, names: readonly string[], holder: string, forMs: number) =>
      answer(() => {
        const his = names.filter((name) => isHis(name, holder));
        for (const name of his) stored.set(name, { holder, until: clock.now + forMs });
        return new Set(his);
      }),
    release: (_scope: unknown, names: readonly string[]) =>
      answer(() => names.forEach((name) => void stored.delete(name))),
    held: (_scope: unknown, names: readonly string[]) => answer(() => new Set(names.filter(isHeld))),
  };
  const work = { name: 'work', ids: () => answer(() => ['c']) };
  const scheduler = (name: string) => new SharedLeases(work, leases, name, () => clock.now);
  return { clock, one: scheduler('one'), two: scheduler('two'), goAway: (away: boolean) => (isAway = away) };
}

describe('the lease of a company', () => {
  it('is one scheduler’s while it renews it', async () => {
    const { clock, one, two } = world();
    for (; clock.now < 60_000; clock.now += 2_000) {
      await one.pass();
      await two.pass();
      expect([one.isProven('c'), two.isProven('c')]).toEqual([true, false]);
    }
  });

  it('goes to another one when it is over, after the first has stopped sending', async () => {
    const { clock, one, two } = world();
    await one.pass();
    for (; !two.isProven('c'); clock.now += 500) {
      await two.pass();
      expect(one.isProven('c') && two.isProven('c')).toBe(false);
    }
    expect(clock.now).toBe(12_500);
    await one.pass();
    expect([one.owned, two.owned]).toEqual([[], ['c']]);
  });

  it('is held by one when all stood still, and nobody else sends', async () => {
    const { clock, one, two } = world();
    await one.pass();
    clock.now += 60_000;
    await two.pass();
    expect([one.isProven('c'), two.isProven('c')]).toEqual([false, true]);
    await one.pass();
    expect([one.owned, two.owned]).toEqual([[], ['c']]);
  });

  it('proves nothing while MongoDB does not answer', async () => {
    const { clock, one, goAway } = world();
    await one.pass();
    goAway(true);
    await expect(one.pass()).rejects.toThrow('away');
    clock.now = 8_000;
    expect(one.isProven('c')).toBe(false);
    goAway(false);
    await one.pass();
    expect(one.isProven('c')).toBe(true);
  });

  it('is free at once when it was given back', async () => {
    const { one, two } = world();
    await one.pass();
    await one.giveBack();
    await two.pass();
    expect(two.owned).toEqual(['c']);
  });
});
