import { describe, expect, it } from 'vitest';
import { keyOfLimit, mayComputeLane, queueNameFaults } from './queue-names.js';

describe('the lanes that a flow may give', () => {
  it.each([
    ['orders', 'orders', true],
    ['orders', 'orders-1', false],
    ['customer-{{ $prev.args.id }}', 'customer-7', true],
    ['customer-{{ $prev.args.id }}', 'order-7', false],
    ['{{ $prev.args.id }}', 'anything', true],
    ['a-{{ $prev.args.x }}-b-{{ $prev.args.y }}-c', 'a-1-b-2-c', true],
    ['a-{{ $prev.args.x }}-b-{{ $prev.args.y }}-c', 'a-1-2-c', false],
    ['aba{{ $prev.args.x }}aba', 'aba', false],
    ['{{ $prev.args.x }}{{ $prev.args.y }}', 'xy', true],
    ['{{ broken', 'broken', false],
    [null, 'x', false],
  ])('of %j: %j is %j', (setting, lane, may) => {
    expect(mayComputeLane(setting, lane)).toBe(may);
  });
});

describe('the key of a concurrency limit', () => {
  const flow = (concurrency: number | { limit: number; key: string } | null) =>
    ({
      id: 'f',
      companyId: 'c',
      key: null,
      name: 'F',
      version: 1,
      blueprintVars: null,
      settings: { concurrency },
    }) as const;
  const deps = {
    sandbox: { run: () => Promise.reject(new Error('no program')) },
    now: () => 0,
  } as unknown as Parameters<typeof keyOfLimit>[2];
  const byId = flow({ limit: 2, key: 'customer-{{ $prev.args.id }}' });

  it('is what its text gives for the args, empty where the limit has none, null without a limit', () => {
    expect(keyOfLimit(byId, { id: 42 }, deps)).toBe('customer-42');
    expect(keyOfLimit(flow({ limit: 2, key: 'all' }), {}, deps)).toBe('all');
    expect([keyOfLimit(flow(3), {}, deps), keyOfLimit(flow(null), {}, deps)]).toEqual(['', null]);
  });

  it.each([[{}], [{ id: null }], [{ id: '' }], [{ id: {} }], [{ id: 'x'.repeat(300) }], [{ id: '\0' }]])(
    'refuses args for which it has no value that can be one: %j',
    (args) => {
      expect(() => keyOfLimit(byId, args, deps)).toThrow(expect.objectContaining({ code: 'invalid_limit_key' }));
    },
  );

  it('reads what is known before any layer, and nothing else', () => {
    const faults = (key: string) => queueNameFaults({ lane: null, concurrency: { limit: 1, key } });
    expect(faults('{{ $prev.args.id }}-{{ $flow.id }}')).toEqual([]);
    for (const key of ['{{ .layer }}', '{{ broken', 'x'.repeat(300)])
      expect(faults(key)).toMatchObject([{ path: 'settings.concurrency.key', code: 'invalid_expression' }]);
    expect(queueNameFaults({ lane: null, concurrency: 5 })).toEqual([]);
  });
});
