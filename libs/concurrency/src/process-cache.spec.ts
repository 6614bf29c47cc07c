import { describe, expect, it } from 'vitest';
import { ProcessCache } from './process-cache.js';

const HOUR_MS = 3_600_000;

function setUp(maxBytes = 10_000) {
  const evicted: string[] = [];
  const clock = { now: 1_000 };
  const cache = new ProcessCache({
    maxBytes,
    onEvicted: (type, reason) => evicted.push(`${type} ${reason}`),
    monotonicMs: () => clock.now,
  });
  return { cache, evicted, clock };
}

describe('the cache of a process', () => {
  it('keeps fixtures 24 h, modules 1 h and flows 5 min, and throws out what is older when told', () => {
    const { cache, evicted, clock } = setUp();
    const kept = {
      test_case_fixtures: 24 * HOUR_MS,
      module_definitions: HOUR_MS,
      flow_definitions: HOUR_MS / 12,
    } as const;
    const types = Object.keys(kept) as (keyof typeof kept)[];
    for (const type of types) cache.of(type).set('a', { type });
    for (const type of types.toReversed()) {
      clock.now = 1_000 + kept[type];
      expect([type, cache.evictExpired(), cache.of(type).get('a')]).toEqual([type, 0, { type }]);
      clock.now += 1;
      expect([type, cache.evictExpired(), cache.of(type).get('a')]).toEqual([type, 1, undefined]);
    }
    expect(evicted).toEqual([
      'flow_definitions ttl_expired',
      'module_definitions ttl_expired',
      'test_case_fixtures ttl_expired',
    ]);
    expect(cache.bytes).toBe(0);
  });

  it('never gives what is past its lifetime, also between two evictions', () => {
    const { cache, evicted, clock } = setUp();
    const flows = cache.of('flow_definitions');
    flows.set('a', {});
    clock.now += HOUR_MS;
    expect(flows.get('a')).toBeUndefined();
    expect(evicted).toEqual(['flow_definitions ttl_expired']);
  });

  it('has one bound for all kinds, and lets go of what was not used for longest', () => {
    const { cache, evicted } = setUp(1_000);
    const [flows, modules] = [
      cache.of<{ n: number }>('flow_definitions'),
      cache.of<{ n: number }>('module_definitions'),
    ];
    flows.set('a', { n: 1 }, 400);
    modules.set('a', { n: 2 }, 400);
    expect([flows.get('a'), modules.get('a')]).toEqual([{ n: 1 }, { n: 2 }]);
    expect(flows.get('a')).toEqual({ n: 1 });
    modules.set('b', { n: 3 }, 400);
    expect([flows.get('a'), modules.get('a'), modules.get('b')]).toEqual([{ n: 1 }, undefined, { n: 3 }]);
    expect(evicted).toEqual(['module_definitions capacity']);
    expect(cache.bytes).toBeLessThanOrEqual(1_000);
  });

  it('does not take what is larger than all of it, nor keep what that would have replaced', () => {
    const { cache } = setUp(1_000);
    const flows = cache.of<{ n: number }>('flow_definitions');
    flows.set('a', { n: 1 });
    flows.set('a', { n: 2 }, 5_000);
    expect([flows.get('a'), cache.bytes]).toEqual([undefined, 0]);
  });
});
