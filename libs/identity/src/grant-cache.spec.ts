import { FRESH_MS } from '@weft/concurrency';
import type { GrantRow } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { GrantCache } from './grant-cache.js';

const caller = { userId: 'u1', companyId: 'c1', groupIds: ['g1', 'g2'] };

function row(GranteeID: string, ResourceID: string, over: Partial<GrantRow> = {}): GrantRow {
  return {
    _id: `${GranteeID}-${ResourceID}`,
    CompanyID: 'c1',
    ResourceType: 'flow',
    Permissions: ['read'],
    GranteeID,
    ResourceID,
    ...over,
  };
}

/** A cache over rows that the test sets, under a clock that it sets. */
function setUp(...stored: GrantRow[]) {
  const state = { now: 0, stored, questions: [] as (readonly string[])[] };
  const repository = {
    reaching: async (_scope: unknown, ids: readonly string[]) => {
      state.questions.push(ids);
      return state.stored.filter(({ GranteeID }) => ids.includes(GranteeID));
    },
  };
  const cache = new GrantCache(repository, { monotonicMs: () => state.now });
  const opens = async (who: typeof caller, flowId: string): Promise<boolean> =>
    (await cache.of(who)).some((held) => held.on('flow', flowId).includes('read'));
  return { cache, state, opens };
}

describe('the grants of a caller', () => {
  it('are those to the user and to each group, of this company only', async () => {
    const { opens, state } = setUp(
      row('u1', 'f1'),
      row('g2', 'f2'),
      row('g9', 'f3'),
      row('u1', 'f4', { CompanyID: 'c2' }),
    );
    const open = await Promise.all(['f1', 'f2', 'f3', 'f4'].map((id) => opens(caller, id)));
    expect(open).toEqual([true, true, false, false]);
    expect(await opens({ ...caller, companyId: 'c2' }, 'f4')).toBe(true);
    expect(state.questions).toEqual([['u1', 'g1', 'g2']]);
  });

  it('are told without a promise for a second, also when there are none', async () => {
    const { cache, state } = setUp();
    await cache.of(caller);
    state.now = FRESH_MS - 1;
    expect(cache.of(caller)).toHaveLength(3);
    state.now = FRESH_MS;
    expect(cache.of(caller)).toBeInstanceOf(Promise);
  });

  it('change with the next look when the bus names a grantee, for all who hold by it', async () => {
    const { cache, state, opens } = setUp(row('g1', 'f1'));
    const member = { ...caller, userId: 'u2', groupIds: ['g1'] };
    expect([await opens(caller, 'f1'), await opens(member, 'f1')]).toEqual([true, true]);
    state.stored = [];
    cache.forget('g1');
    expect([await opens(caller, 'f1'), await opens(member, 'f1')]).toEqual([false, false]);
    expect(state.questions.at(-1)).toEqual(['g1']);
  });

  it('change after a second when nobody tells', async () => {
    const { state, opens } = setUp(row('u1', 'f1'));
    expect(await opens(caller, 'f1')).toBe(true);
    state.stored = [];
    expect(await opens(caller, 'f1')).toBe(true);
    state.now = FRESH_MS;
    expect(await opens(caller, 'f1')).toBe(false);
  });

  it('go with the membership, not with the caller', async () => {
    const { opens, state } = setUp(row('g1', 'f1'));
    expect(await opens(caller, 'f1')).toBe(true);
    expect(await opens({ ...caller, groupIds: [] }, 'f1')).toBe(false);
    expect(state.questions).toHaveLength(1);
  });
});

describe('a decision', () => {
  it('that falls without grants asks nobody', () => {
    const { cache, state } = setUp();
    expect(cache.decide(caller, () => true)).toBe(true);
    expect(state.questions).toEqual([]);
  });

  it('that needs grants waits for them once, then falls at once', async () => {
    const { cache } = setUp(row('g2', 'f1'));
    const judge = (held: readonly { on: (type: 'flow', id: string) => readonly string[] }[]): boolean =>
      held.some((grants) => grants.on('flow', 'f1').length > 0);
    const first = cache.decide(caller, judge);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toBe(true);
    expect(cache.decide(caller, judge)).toBe(true);
    expect(cache.decide({ ...caller, groupIds: [] }, judge)).toBe(false);
  });
});
