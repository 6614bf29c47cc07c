import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesDue, type Entry } from './due.js';
import { durationMs } from './duration.js';
import { effectiveTerms, SPECIFIED_DEFAULTS, type RetentionPolicy } from './policy.js';
import { playRules, ruleOf, type PlayRule } from './rules.js';
import type { GeneralScope } from './scope.js';

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;

function policy(changes: Partial<RetentionPolicy>): RetentionPolicy {
  const base = { id: 'p', scope: 'plays', flowId: null, flowGroupId: null, cadence: '7d' } as const;
  return { ...base, minEntries: 0, enforcedMinimum: '0', enabled: true, ...changes };
}

function governing(rules: readonly PlayRule[], flowId: string): PlayRule[] {
  return rules.filter(({ flows }) => ('only' in flows ? flows.only.includes(flowId) : !flows.except.includes(flowId)));
}

describe('a duration', () => {
  it('is an integer and m, d or y, or 0', () => {
    expect(['2m', '30d', '6y', '0'].map(durationMs)).toEqual([120_000, 30 * DAY, 6 * 365 * DAY, 0]);
  });
  for (const text of [
    '',
    '30',
    '30s',
    '30h',
    '1.5d',
    '-1d',
    '+1d',
    ' 1d',
    '1d ',
    '0d',
    '01d',
    '1D',
    '1e3d',
    '101y',
    '∞',
  ]) {
    it(`is not "${text}"`, () => expect(durationMs(text)).toBeNull());
  }
});

describe('a policy under a floor', () => {
  it('is overridden: 14 days for audit entries, 3 for deleted flows, 10 entries anywhere', () => {
    expect(effectiveTerms(policy({ scope: 'audit', enforcedMinimum: '1d' }))).toEqual({
      minEntries: 10,
      enforcedMinimum: '14d',
    });
    expect(effectiveTerms(policy({ scope: 'audit_logs' })).enforcedMinimum).toBe('14d');
    expect(effectiveTerms(policy({ scope: 'flows.filtered', enforcedMinimum: '0' })).enforcedMinimum).toBe('3d');
    expect(effectiveTerms(policy({ scope: 'flows.filtered', enforcedMinimum: '5d' })).enforcedMinimum).toBe('5d');
    expect(effectiveTerms(policy({ minEntries: 11 }))).toEqual({ minEntries: 11, enforcedMinimum: '0' });
  });
});

describe('precedence', () => {
  const grouped = [
    { flowId: 'a', groupId: 'g' },
    { flowId: 'b', groupId: 'g' },
  ];
  const ofFlow = policy({ id: 'flow', scope: null, flowId: 'a', cadence: '1d' });
  const ofGroup = policy({ id: 'group', scope: 'flows.group', flowGroupId: 'g', cadence: '2d' });
  const general = policy({ id: 'general', cadence: '30d' });

  it('gives a play to its flow, then to its group, then to the general policy', () => {
    const rules = playRules([general, ofGroup, ofFlow], grouped, SPECIFIED_DEFAULTS);
    const of = (flowId: string) => governing(rules, flowId).map(({ policyId, keepMs }) => [policyId, keepMs / DAY]);
    expect(of('a')).toEqual([['flow', 1]]);
    expect(of('b')).toEqual([['group', 2]]);
    expect(of('c')).toEqual([['general', 30]]);
  });

  it('lets the largest enforced minimum of all levels hold', () => {
    const strict = { ...general, enforcedMinimum: '5d' };
    const rules = playRules([strict, { ...ofGroup, enforcedMinimum: '8d' }, ofFlow], grouped, SPECIFIED_DEFAULTS);
    expect(governing(rules, 'a').map(({ keepMs }) => keepMs / DAY)).toEqual([8]);
    expect(governing(rules, 'b').map(({ keepMs }) => keepMs / DAY)).toEqual([8]);
  });

  it('keeps within a level what any policy of it keeps', () => {
    const many = policy({ id: 'many', cadence: '1d', minEntries: 5_000 });
    expect(playRules([general, many], [], SPECIFIED_DEFAULTS)).toEqual([
      { scope: 'plays', policyId: 'general', keepMs: 30 * DAY, minEntries: 5_000, flows: { except: [] } },
    ]);
  });

  it('falls back to the default where the company has no policy of the scope, and to nothing where all are disabled', () => {
    expect(ruleOf('plays', [policy({ scope: 'kv_stores' })], SPECIFIED_DEFAULTS)).toEqual({
      scope: 'plays',
      policyId: null,
      keepMs: 7 * DAY,
      minEntries: 1_000,
    });
    expect(ruleOf('plays', [policy({ enabled: false })], SPECIFIED_DEFAULTS)).toBeNull();
    expect(ruleOf('audit', [policy({ scope: 'audit_logs', cadence: '60d' })], SPECIFIED_DEFAULTS)?.keepMs).toBe(
      60 * DAY,
    );
    const disabled = playRules([{ ...ofFlow, enabled: false }, general], grouped, SPECIFIED_DEFAULTS);
    expect(governing(disabled, 'a').map(({ policyId }) => policyId)).toEqual(['general']);
  });
});

const durations = fc.constantFrom('0', '1m', '1d', '3d', '14d', '30d', '1y');
const terms = { cadence: durations, minEntries: fc.nat(30), enforcedMinimum: durations, enabled: fc.boolean() };
const flowIds = fc.constantFrom('a', 'b', 'c');
const policies = fc.array(
  fc.oneof(
    fc.record({
      ...terms,
      id: fc.string(),
      scope: fc.constant('plays' as const),
      flowId: fc.constant(null),
      flowGroupId: fc.constant(null),
    }),
    fc.record({ ...terms, id: fc.string(), scope: fc.constant(null), flowId: flowIds, flowGroupId: fc.constant(null) }),
    fc.record({
      ...terms,
      id: fc.string(),
      scope: fc.constant('flows.group' as const),
      flowId: fc.constant(null),
      flowGroupId: fc.constantFrom('g', 'h'),
    }),
  ),
  { maxLength: 6 },
);
const groups = fc.uniqueArray(fc.record({ flowId: flowIds, groupId: fc.constantFrom('g', 'h') }), {
  selector: ({ flowId }) => flowId,
});
const entries = fc
  .array(fc.option(fc.integer({ min: 0, max: 60 * DAY }), { nil: null }), { maxLength: 60 })
  .map((ages) => ages.map((age, i): Entry => ({ id: String(i), at: age === null ? null : NOW - age })));
const rule = fc.record({ keepMs: fc.integer({ min: 0, max: 60 * DAY }), minEntries: fc.integer({ min: 10, max: 40 }) });

describe('whatever the policies are', () => {
  it('each play is governed by one rule at most, and the enforced minimum of every policy that applies to it holds (I19)', () => {
    fc.assert(
      fc.property(policies, groups, flowIds, (given, grouped, flowId) => {
        const rules = governing(playRules(given, grouped, SPECIFIED_DEFAULTS), flowId);
        expect(rules.length).toBeLessThanOrEqual(1);
        const groupId = grouped.find((each) => each.flowId === flowId)?.groupId;
        const applying = given.filter(
          (each) =>
            each.enabled &&
            (each.scope === 'plays' ||
              each.flowId === flowId ||
              (each.flowGroupId !== null && each.flowGroupId === groupId)),
        );
        for (const each of applying) {
          expect(rules[0]?.keepMs ?? Infinity).toBeGreaterThanOrEqual(durationMs(each.enforcedMinimum) ?? 0);
        }
        expect(rules[0]?.minEntries ?? Infinity).toBeGreaterThanOrEqual(10);
      }),
    );
  });

  it('nobody goes below the floors of audit entries and deleted flows (I19)', () => {
    const scoped = fc.constantFrom<GeneralScope>('audit', 'flows.filtered');
    fc.assert(
      fc.property(scoped, fc.array(fc.record({ ...terms, id: fc.string() })), (scope, given) => {
        const found = ruleOf(
          scope,
          given.map((each) => policy({ ...each, scope })),
          SPECIFIED_DEFAULTS,
        );
        const floor = scope === 'audit' ? 14 * DAY : 3 * DAY;
        expect(found?.keepMs ?? Infinity).toBeGreaterThanOrEqual(floor);
        expect(found?.minEntries ?? Infinity).toBeGreaterThanOrEqual(10);
      }),
    );
  });
});

describe('what is due', () => {
  it('is neither young, nor among the newest, nor without an end; and all else is (I19, I20)', () => {
    fc.assert(
      fc.property(entries, rule, (given, { keepMs, minEntries }) => {
        const due = new Set(entriesDue(given, { keepMs, minEntries }, NOW).map(({ id }) => id));
        given.forEach(({ id, at }, rank) => {
          const stays = rank < minEntries || at === null || at >= NOW - keepMs;
          expect(due.has(id)).toBe(!stays);
        });
      }),
    );
  });

  it('is the same after any part of it went, whoever took it: cleaners that stop and begin again delete no more (I20, I22)', () => {
    fc.assert(
      fc.property(entries, rule, fc.infiniteStream(fc.boolean()), (given, terms, coin) => {
        const due = entriesDue(given, terms, NOW);
        const gone = new Set(due.filter(() => coin.next().value).map(({ id }) => id));
        const rest = given.filter(({ id }) => !gone.has(id));
        expect(entriesDue(rest, terms, NOW)).toEqual(due.filter(({ id }) => !gone.has(id)));
      }),
    );
  });
});
