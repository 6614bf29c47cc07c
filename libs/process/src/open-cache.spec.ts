import type { Settings } from '@weft/config';
import { Metrics } from '@weft/observability';
import { afterAll, describe, expect, it } from 'vitest';
import { openCache } from './open-cache.js';

const metrics = new Metrics();
afterAll(() => metrics.close());

describe('the cache of a process', () => {
  it('is as large as the setting says, throws out what has expired when it is told, and counts it', async () => {
    const told = new Map<string, (id: string) => void>();
    const bus = {
      on: (kind: string, listener: (id: string) => void) => {
        told.set(kind, listener);
        return () => told.delete(kind);
      },
    };
    const clock = { now: 1 };
    const settings = { cache: { maxSizeMb: 1 } } as Settings;
    const { cache, stop } = openCache(settings, { monotonicMs: () => clock.now }, metrics, bus);
    const flows = cache.of<{ n: number }>('flow_definitions');
    for (const n of [1, 2, 3]) flows.set(`f${n}`, { n }, 400_000);
    expect([flows.get('f1'), flows.get('f3')]).toEqual([undefined, { n: 3 }]);
    clock.now += 3_600_000;
    told.get('caches')?.('expired');
    expect(cache.bytes).toBe(0);
    const page = await metrics.page();
    expect(page).toContain('weft_cache_evictions_total{cache_type="flow_definitions",reason="capacity"} 1');
    expect(page).toContain('weft_cache_evictions_total{cache_type="flow_definitions",reason="ttl_expired"} 2');
    stop();
    expect(told.size).toBe(0);
  });
});
