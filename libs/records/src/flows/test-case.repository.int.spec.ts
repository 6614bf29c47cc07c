import { ProcessCache } from '@weft/concurrency';
import { createIdSource } from '@weft/kernel';
import { liveMongo } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { AUDIT_LOGS, Mongo, TenantScope, type AuditDocument, type AuditEntryInput } from '@weft/store';
import { ensureIndexes } from '../database/collections.js';
import { FLOWS } from './flow.schema.js';
import { TestCaseRepository } from './test-case.repository.js';
import { TEST_CASES, type TestCaseDocument } from './test-case.schema.js';

const newId = createIdSource(Date.now, 7);
const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const newCache = () =>
  new ProcessCache({ maxBytes: 1_000_000, onEvicted: () => undefined, monotonicMs: () => performance.now() });
const cases = new TestCaseRepository(mongo, newCache());
const scope = new TenantScope(newId());
const MAX = 5;

/** A flow as far as cases look at it. */
async function newFlow(filteredAt: Date | null = null): Promise<string> {
  const flow = { _id: newId(), company_id: scope.companyId, filteredAt };
  await mongo.collection<typeof flow>(FLOWS).insertOne(flow);
  return flow._id;
}

function caseOf(flowId: string, fields: Partial<TestCaseDocument> = {}): TestCaseDocument {
  const now = new Date();
  const free = { args: { $a: { 'b.c': 1 } }, fixtures: {}, expected: {} };
  const by = { company_id: scope.companyId, flowId, createdBy: 'u1', createdAt: now, updatedAt: now };
  return { _id: newId(), name: 'case', required: false, ...free, ...by, ...fields };
}

const entryOf = ({ _id }: TestCaseDocument): AuditEntryInput => ({
  action_type: 'test_case_created',
  collection: 'test_cases',
  company_id: scope.companyId,
  resource_id: _id,
});

async function stored(flowId: string, fields: Partial<TestCaseDocument> = {}): Promise<TestCaseDocument> {
  const made = caseOf(flowId, fields);
  expect(await cases.insert(scope, made, MAX, entryOf(made))).toBe('made');
  return made;
}

describe('TestCaseRepository', () => {
  it('makes no more cases than a flow may have, also at once', async () => {
    const flowId = await newFlow();
    const wanted = Array.from({ length: MAX + 3 }, () => caseOf(flowId));
    const outcomes = await Promise.all(wanted.map((each) => cases.insert(scope, each, MAX, entryOf(each))));
    expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(MAX);
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(3);
    expect(await cases.findAll(scope, flowId)).toHaveLength(MAX);
    const ids = wanted.map(({ _id }) => _id);
    expect(await mongo.collection<AuditDocument>(AUDIT_LOGS).countDocuments({ resource_id: { $in: ids } })).toBe(MAX);
  });

  it('remembers the fixtures of a case as it is, and those of no case that another replica has changed', async () => {
    const flowId = await newFlow();
    const fixturesOf = async (replica: TestCaseRepository) =>
      (await replica.findAll(scope, flowId)).map(({ name, fixtures }) => [name, fixtures]);
    const first = await stored(flowId, { name: 'first', fixtures: { a: 1 } });
    await stored(flowId, { name: 'second', fixtures: { b: 1 } });
    expect(await fixturesOf(cases)).toEqual([
      ['first', { a: 1 }],
      ['second', { b: 1 }],
    ]);
    const other = new TestCaseRepository(mongo, newCache());
    const changed = { ...first, fixtures: { a: 2 }, updatedAt: new Date(first.updatedAt.getTime() + 1) };
    expect(await other.replace(scope, first, changed, entryOf(first))).toBe(true);
    await mongo
      .collection<TestCaseDocument>(TEST_CASES)
      .updateMany({ flowId, name: 'second' }, { $set: { fixtures: {} } });
    expect(await fixturesOf(cases)).toEqual([
      ['first', { a: 2 }],
      ['second', { b: 1 }], // past every rule, so the cache cannot know: that it was asked shows
    ]);
  });

  it('makes none for a flow that is deleted', async () => {
    const made = caseOf(await newFlow(new Date()));
    expect(await cases.insert(scope, made, MAX, entryOf(made))).toBe('gone');
    expect(await cases.findAll(scope, made.flowId)).toEqual([]);
  });

  it('gives cases back as they were, newest first in lists, and the required ones alone', async () => {
    const flowId = await newFlow();
    const first = await stored(flowId);
    const second = await stored(flowId, { required: true });
    expect((await cases.list(scope, flowId, { page: 0, size: 5, after: null })).items).toEqual([second, first]);
    expect(await cases.findAll(scope, flowId)).toEqual([first, second]);
    expect(await cases.findAll(scope, flowId, { required: true })).toEqual([second]);
  });

  it('replaces and removes only what is there, once', async () => {
    const before = await stored(await newFlow());
    const after = { ...before, name: 'new', updatedAt: new Date(before.updatedAt.getTime() + 1) };
    expect(await cases.replace(scope, before, after, entryOf(before))).toBe(true);
    expect(await cases.replace(scope, before, { ...after, name: 'late' }, entryOf(before))).toBe(false);
    expect(await cases.find(scope, before.flowId, before._id)).toEqual(after);
    expect(await cases.remove(scope, before.flowId, before._id, entryOf(before))).toBe(true);
    expect(await cases.remove(scope, before.flowId, before._id, entryOf(before))).toBe(false);
    const filter = { resource_id: before._id };
    expect(await mongo.collection<AuditDocument>(AUDIT_LOGS).countDocuments(filter)).toBe(3);
  });

  it('keeps companies and flows apart', async () => {
    const made = await stored(await newFlow());
    const other = new TenantScope(newId());
    expect(await cases.find(other, made.flowId, made._id)).toBeNull();
    expect(await cases.find(scope, newId(), made._id)).toBeNull();
    expect(await cases.remove(other, made.flowId, made._id, entryOf(made))).toBe(false);
    expect(await cases.replace(other, made, made, entryOf(made))).toBe(false);
    expect(await cases.findAll(other, made.flowId)).toEqual([]);
    await expect(cases.insert(other, made, MAX, entryOf(made))).rejects.toThrow(TypeError);
  });
});
