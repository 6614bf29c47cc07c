import type { OwnedPlay, PlayStore } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { LeaseKeeper, type LeasedRun } from './lease-keeper.js';

function run(playId: string) {
  const log: (string | number)[] = [];
  const leased: LeasedRun = {
    owned: { key: { playId, companyId: 'c', flowId: 'f' }, owner: `me:${playId}` },
    onRenewed: (sentAtMs) => log.push(sentAtMs),
    onLeaseLost: () => log.push('lost'),
  };
  return { leased, log };
}

function keeper(renew: (owned: readonly OwnedPlay[]) => Promise<readonly OwnedPlay[]>) {
  const errors: unknown[] = [];
  const store = { renew } as unknown as PlayStore;
  return { keeper: new LeaseKeeper(store, 10, (error) => errors.push(error)), errors };
}

describe('LeaseKeeper', () => {
  it('renews all in one call and counts the proof from before the call', async () => {
    const calls: number[] = [];
    const { keeper: leases } = keeper((owned) => {
      calls.push(owned.length);
      return Promise.resolve([]);
    });
    const [a, b] = [run('a'), run('b')];
    const before = performance.now();
    await leases.renew([a.leased, b.leased]);
    expect(calls).toEqual([2]);
    expect(a.log).toHaveLength(1);
    expect(Number(a.log[0])).toBeGreaterThanOrEqual(before);
    expect(b.log).toEqual(a.log);
  });

  it('tells exactly the runs that lost their play', async () => {
    const [a, b] = [run('a'), run('b')];
    const { keeper: leases } = keeper(() => Promise.resolve([b.leased.owned]));
    await leases.renew([a.leased, b.leased]);
    expect(a.log).not.toContain('lost');
    expect(b.log).toEqual(['lost']);
  });

  it('proves nothing while the store is away', async () => {
    const a = run('a');
    const { keeper: leases, errors } = keeper(() => Promise.reject(new Error('away')));
    await leases.renew([a.leased]);
    expect(a.log).toEqual([]);
    expect(errors).toHaveLength(1);
  });

  it('renews by itself for as long as it keeps a run', async () => {
    const { keeper: leases } = keeper(() => Promise.resolve([]));
    const a = run('a');
    leases.keep(a.leased);
    await expect.poll(() => a.log.length).toBeGreaterThanOrEqual(2);
    leases.release(a.leased);
    const count = a.log.length;
    const other = run('b');
    leases.keep(other.leased);
    await expect.poll(() => other.log.length).toBeGreaterThanOrEqual(2);
    leases.release(other.leased);
    expect(a.log).toHaveLength(count);
  });
});
