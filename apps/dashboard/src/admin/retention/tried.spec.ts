import { describe, expect, it } from 'vitest';
import { effectsOf } from './tried';

const plays = (policy_id: string | null, would_delete: number) =>
  ({ collection: 'plays', scope: 'plays', policy_id, would_delete, kept: 10 }) as const;

describe('what a policy changes', () => {
  it('is the difference of all rules for one kind of entry together', () => {
    const ofFlow = { collection: 'plays', scope: null, policy_id: 'new', would_delete: 12, kept: 10 } as const;
    expect(effectsOf([plays(null, 20)], [ofFlow, plays(null, 3)])).toEqual([{ what: 'plays', stored: 20, tried: 15 }]);
  });

  it('is nothing where the same would be deleted, and all where a kind is no longer governed', () => {
    const kept = { collection: 'kv_stores', scope: 'kv_stores', policy_id: null, would_delete: 4, kept: 0 } as const;
    const audit = { collection: 'audit_logs', scope: 'audit', policy_id: 'p', would_delete: 7, kept: 1 } as const;
    expect(effectsOf([kept, audit], [kept])).toEqual([{ what: 'the audit log', stored: 7, tried: 0 }]);
  });

  it('may be more than both counts say', () => {
    const many = { ...plays(null, 100_000), capped: true };
    expect(effectsOf([many], [many])).toEqual([{ what: 'plays', stored: 100_000, tried: 100_000, isCapped: true }]);
  });

  it('tells flows that nobody uses from deleted ones', () => {
    const flows = (scope: 'flows.all' | 'flows.filtered', would_delete: number) =>
      ({ collection: 'flows', scope, policy_id: null, would_delete, kept: 0 }) as const;
    expect(effectsOf([flows('flows.all', 1), flows('flows.filtered', 2)], [flows('flows.all', 1)])).toEqual([
      { what: 'deleted flows', stored: 2, tried: 0 },
    ]);
  });
});
