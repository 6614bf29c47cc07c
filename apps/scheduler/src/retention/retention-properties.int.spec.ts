import type { Play } from '@weft/engine';
import { Mongo, PLAYS, TenantScope } from '@weft/store';
import { RETENTION_POLICIES, RetentionPlan, ensureIndexes, type RetentionPolicyDocument } from '@weft/records';
import { SPECIFIED_DEFAULTS } from '@weft/retention';
import { liveMongo } from '@weft/testing';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { playFixtures } from '../../../../test/fixtures/old-plays.js';
import { RetentionCleaner } from './retention-cleaner.js';

const DAY = 86_400_000;
const RUNS = 20;
const GROUPED = ['b', 'c'];
const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());
const auditKeys = { current: mongo.auditKey, find: () => Promise.resolve(mongo.auditKey) };
const plays = mongo.collection<Play>(PLAYS);
const policies = mongo.collection<RetentionPolicyDocument>(RETENTION_POLICIES);

type Terms = Pick<RetentionPolicyDocument, 'cadence' | 'min_entries' | 'enforced_minimum' | 'enabled'>;
const KINDS = {
  general: { scope: 'plays', flow_id: null, flow_group_id: null },
  flow: { scope: null, flow_id: 'b', flow_group_id: null },
  group: { scope: 'flows.group', flow_id: null, flow_group_id: 'g' },
} as const;
type Kind = keyof typeof KINDS;

const policyOf = fc.record({
  kind: fc.constantFrom<Kind>('general', 'flow', 'group'),
  cadence: fc.constantFrom('0', '1d', '6d'),
  min_entries: fc.constantFrom(0, 15),
  enforced_minimum: fc.constantFrom('0', '9d'),
  enabled: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});
type Policy = Terms & { readonly kind: Kind };
interface Batch {
  readonly count: number;
  readonly flowId: string;
  readonly days: number;
  readonly state: 'DONE' | 'FAIL' | 'WAIT';
}
const batchOf: fc.Arbitrary<Batch> = fc.record({
  count: fc.integer({ min: 5, max: 15 }),
  flowId: fc.constantFrom('a', 'b', 'c'),
  days: fc.constantFrom(0.5, 3.5, 7.5, 20.5),
  state: fc.constantFrom('DONE' as const, 'DONE' as const, 'FAIL' as const, 'WAIT' as const),
});

const msOf = (text: string) => (text === '0' ? 0 : Number(text.slice(0, -1)) * DAY);
const longest = (of: readonly Policy[], field: 'cadence' | 'enforced_minimum') =>
  Math.max(0, ...of.map((each) => msOf(each[field])));

/**
 * docs/retention.md, implemented a second time: which policies govern a flow's plays, and the least age at which one may
 * be deleted.
 */
function governing(flowId: string, all: readonly Policy[]): { readonly level: Kind | 'none'; readonly keepMs: number } {
  const of = (kind: Kind) => all.filter((each) => each.kind === kind && each.enabled);
  const levels: readonly Kind[] = [
    ...(flowId === 'b' ? (['flow'] as const) : []),
    ...(GROUPED.includes(flowId) ? (['group'] as const) : []),
    'general',
  ];
  const level = levels.find((each) => of(each).length > 0) ?? 'none';
  const minimum = Math.max(...levels.map((each) => longest(of(each), 'enforced_minimum')));
  return { level, keepMs: level === 'none' ? Infinity : Math.max(longest(of(level), 'cadence'), minimum) };
}

function remaining(stored: readonly Play[], all: readonly Policy[], nowMs: number): string[] {
  const newestFirst = [...stored].sort((a, b) => (a._id < b._id ? 1 : -1));
  const seen = new Map<string, number>();
  return newestFirst.flatMap((play) => {
    const { level, keepMs } = governing(play.flowId, all);
    const nth = (seen.get(level) ?? 0) + 1;
    seen.set(level, nth);
    const newest = Math.max(10, ...all.filter((each) => each.kind === level && each.enabled).map((p) => p.min_entries));
    const isOld = play.completedAt !== undefined && nowMs - play.completedAt.getTime() > keepMs;
    return nth <= newest || !isOld ? [play._id] : [];
  });
}

it('keeps of any plays under any policies what the contract says, and the preview counts before what goes then (I19, I20)', async () => {
  let companies = 0;
  const property = async (given: readonly Policy[], batches: readonly Batch[]) => {
    companies += 1;
    const company = new TenantScope(`company-${companies}`);
    const now = new Date(mongo.serverNow());
    const made = playFixtures(mongo, company, now.getTime());
    for (const id of GROUPED) await made.flow(`${companies}-${id}`, { groupId: 'g' });
    const inCompany = (flowId: string) => `${companies}-${flowId}`;
    const documents = given.map(({ kind, ...terms }) => {
      const { flow_id, ...about } = KINDS[kind];
      const dates = { created_at: now, updated_at: now };
      const of = { ...about, flow_id: flow_id && inCompany(flow_id), company_id: company.companyId };
      return { ...terms, ...of, ...dates, _id: made.newId() };
    });
    if (documents.length > 0) await policies.insertMany(documents);
    for (const { count, flowId, days, state } of batches) {
      await made.plays(count, { flowId: inCompany(flowId), ageMs: days * DAY, state });
    }
    const mine = { company_id: company.companyId };
    const before = (await plays.find(mine).toArray()).map((play) => ({ ...play, flowId: play.flowId.slice(-1) }));

    const plan = new RetentionPlan(mongo, { defaults: SPECIFIED_DEFAULTS, auditKeys });
    let wouldDelete = 0;
    for (const sweep of await plan.sweepsOf(company, now)) {
      if (sweep.collection === 'plays') wouldDelete += (await sweep.preview()).wouldDelete;
    }
    const { entriesDeleted } = await new RetentionCleaner({
      plan,
      companies: () => Promise.resolve([company.companyId]),
      clocks: { local: () => now.getTime(), server: () => now.getTime() },
      pause: () => Promise.resolve(),
      onFault: (_company, error) => expect.fail(String(error)),
    }).run({ startedAt: now, signal: AbortSignal.any([]) });

    const left = (await plays.find(mine, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    expect(left.sort()).toEqual(remaining(before, given, now.getTime()).sort());
    expect([entriesDeleted, wouldDelete]).toEqual([before.length - left.length, before.length - left.length]);
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(policyOf, { minLength: 1, maxLength: 6 }),
      fc.array(batchOf, { minLength: 6, maxLength: 10 }),
      property,
    ),
    { numRuns: RUNS },
  );
});
