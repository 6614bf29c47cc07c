import { SPECIFIED_DEFAULTS } from '@weft/retention';
import { liveMongo } from '@weft/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../database/collections.js';
import { KvRepository } from '../flows/kv.repository.js';
import { KV_STORES, type KvDocument } from '../flows/kv.schema.js';
import { Mongo, TenantScope } from '@weft/store';
import { RetentionPlan } from './retention-plan.js';
import { RETENTION_POLICIES, type RetentionPolicyDocument } from './retention-policy.schema.js';
import type { Sweep } from './sweep.js';

const DAY = 86_400_000;
const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const entries = mongo.collection<KvDocument>(KV_STORES);
const store = new KvRepository(mongo);
const auditKeys = { current: mongo.auditKey, find: () => Promise.resolve(mongo.auditKey) };
const plan = new RetentionPlan(mongo, { defaults: SPECIFIED_DEFAULTS, auditKeys });
let company = new TenantScope('none');
beforeEach(() => (company = new TenantScope(randomUUID())));

/** Sets entries `<prefix>0` … as the API does, then lets them age. */
async function setEntries(
  prefix: string,
  count: number,
  { ttlMs = null as number | null, ageDays = 0 },
): Promise<void> {
  const keys = Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const set = (key: string) => store.set(company, { key, once: null, newId: randomUUID() }, 1, ttlMs);
  await Promise.all(keys.map(set));
  const updatedAt = new Date(mongo.serverNow() - ageDays * DAY);
  await entries.updateMany({ company_id: company.companyId, key: { $in: keys } }, { $set: { updatedAt } });
}

async function sweep(): Promise<Sweep> {
  const sweeps = await plan.sweepsOf(company, new Date(mongo.serverNow()));
  const kv = sweeps.find(({ scope }) => scope === 'kv_stores');
  if (!kv) throw new Error('no sweep of the key-value store');
  return kv;
}

const remaining = (prefix: string) =>
  entries.countDocuments({ company_id: company.companyId, key: { $regex: `^${prefix}` } });

async function makePolicy(terms: Partial<RetentionPolicyDocument>): Promise<void> {
  const now = new Date();
  await mongo.collection<RetentionPolicyDocument>(RETENTION_POLICIES).insertOne({
    ...{ _id: randomUUID(), company_id: company.companyId, scope: 'kv_stores', flow_id: null, flow_group_id: null },
    ...{ cadence: '1d', min_entries: 100, enforced_minimum: '0', enabled: true, created_at: now, updated_at: now },
    ...terms,
  });
}

describe('retention of the key-value store', () => {
  it('by default leaves every entry that was set without a ttl, however old and however many', async () => {
    await setEntries('cursor.', 150, { ageDays: 400 });
    expect(await (await sweep()).preview()).toEqual({ wouldDelete: 0, kept: 0 });
    expect(await (await sweep()).step()).toMatchObject({ deleted: 0, more: false });
    expect(await remaining('cursor.')).toBe(150);
  });

  it('by default deletes entries with a ttl that nobody wrote for a day, beyond the newest 100 of their kind', async () => {
    await setEntries('cursor.', 150, { ageDays: 0 });
    await setEntries('cache.', 130, { ttlMs: 30 * DAY, ageDays: 2 });
    await setEntries('fresh.', 20, { ttlMs: 30 * DAY, ageDays: 0 });
    expect(await (await sweep()).preview()).toEqual({ wouldDelete: 50, kept: 100 });
    expect(await (await sweep()).step()).toMatchObject({ deleted: 50, more: false });
    expect(await remaining('cache.')).toBe(80);
    expect(await remaining('fresh.')).toBe(20);
    expect(await remaining('cursor.')).toBe(150);
  });

  it('by a policy of the company covers all entries', async () => {
    await makePolicy({ cadence: '7d', min_entries: 10 });
    await setEntries('cursor.', 30, { ageDays: 8 });
    await setEntries('cache.', 5, { ttlMs: 30 * DAY, ageDays: 1 });
    expect(await (await sweep()).preview()).toEqual({ wouldDelete: 25, kept: 10 });
    expect(await (await sweep()).step()).toMatchObject({ deleted: 25 });
    expect(await remaining('cache.')).toBe(5);
    expect(await remaining('cursor.')).toBe(5);
  });

  it('counts no entry that has ended among the newest', async () => {
    await setEntries('cache.', 100, { ttlMs: 30 * DAY, ageDays: 2 });
    await setEntries('expired.', 60, { ttlMs: 30 * DAY });
    const ended = { expiresAt: new Date(mongo.serverNow() - 1_000) };
    await entries.updateMany({ company_id: company.companyId, key: /^expired/ }, { $set: ended });
    expect(await (await sweep()).preview()).toEqual({ wouldDelete: 0, kept: 100 });
    await makePolicy({});
    expect(await (await sweep()).preview()).toEqual({ wouldDelete: 0, kept: 100 });
  });

  it('finds the entries with a ttl by an index, without reading the others', async () => {
    await setEntries('cursor.', 200, { ageDays: 5 });
    await setEntries('cache.', 101, { ttlMs: 30 * DAY, ageDays: 2 });
    const filter = { company_id: company.companyId, expiresAt: { $gt: new Date(mongo.serverNow()) } };
    const newest = entries.find(filter, { projection: { updatedAt: 1 } }).sort({ updatedAt: -1, _id: -1 });
    const { executionStats } = await newest.skip(100).limit(1).explain('executionStats');
    expect(executionStats).toMatchObject({ totalDocsExamined: 0, totalKeysExamined: 101, nReturned: 1 });
  });
});
