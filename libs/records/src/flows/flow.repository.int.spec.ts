import { createIdSource } from '@weft/kernel';
import { aLayer, liveMongo, SETTINGS } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { AUDIT_LOGS, Mongo, SystemScope, TenantScope, type AuditDocument, type AuditEntryInput } from '@weft/store';
import { ensureIndexes } from '../database/collections.js';
import { FLOW_GROUPS, type FlowGroupDocument } from './flow-group.schema.js';
import { FlowVersionRepository } from './flow-version.repository.js';
import { FlowRepository } from './flow.repository.js';
import type { FlowDocument } from './flow.schema.js';
import { TEST_CASES, type TestCaseDocument } from './test-case.schema.js';

const newId = createIdSource(Date.now, 7);
const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const flows = new FlowRepository(mongo);
const versions = new FlowVersionRepository(mongo);
const NOBODY = { all: false, unrestricted: false, createdBy: null, grantedFlowIds: [], grantedGroupIds: [] } as const;
/** Of a viewer and above. */
const ROLE = { ...NOBODY, unrestricted: true } as const;
const EVERYTHING = { ...ROLE, all: true } as const;
const PAGE = { page: 0, size: 2, after: null } as const;

function newFlow(scope: TenantScope, fields: Partial<FlowDocument> = {}): FlowDocument {
  const now = new Date();
  return {
    _id: newId(),
    company_id: scope.companyId,
    version: 1,
    name: 'flow',
    enabled: true,
    category: '',
    description: '',
    isBlueprint: false,
    restricted: false,
    groupId: null,
    when: null,
    settings: SETTINGS,
    blueprintId: null,
    createdBy: 'u1',
    createdAt: now,
    updatedAt: now,
    filteredAt: null,
    layers: [],
    ...fields,
  };
}

function entryFor(flow: FlowDocument): AuditEntryInput {
  return {
    action_type: 'flow_updated',
    collection: 'flows',
    company_id: flow.company_id,
    resource_type: 'flow',
    resource_id: flow._id,
    changes: { name: { before: 'a', after: 'b' } },
  };
}

async function stored(scope: TenantScope, fields: Partial<FlowDocument> = {}): Promise<FlowDocument> {
  const flow = newFlow(scope, fields);
  await flows.insert(scope, flow, entryFor(flow));
  return flow;
}

const entriesOf = (flowId: string): Promise<AuditDocument[]> =>
  mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: flowId }).sort({ _id: 1 }).toArray();

async function flowGroup(scope: TenantScope): Promise<string> {
  const [_id, company_id] = [newId(), scope.companyId];
  const group: FlowGroupDocument = { _id, company_id, name: 'g', created_by: 'u', created_at: new Date(), joins: 0 };
  await mongo.collection<FlowGroupDocument>(FLOW_GROUPS).insertOne(group);
  return _id;
}

describe('FlowRepository', () => {
  it('writes flow, version and audit entry together', async () => {
    const scope = new TenantScope(newId());
    const args = { $free: { 'a.b': 1, $ref: 'x' } };
    const layer = aLayer('a', { id: newId(), args });
    const flow = await stored(scope, { layers: [layer], blueprintVars: { host: '{{ data }}' } });
    expect(await flows.find(scope, flow._id)).toEqual(flow);
    const { companyId } = scope;
    const { name, when, settings, layers } = flow;
    const blueprintVars = { host: '{{ data }}' };
    const version = { flowId: flow._id, companyId, version: 1, name, when, settings, blueprintVars, layers };
    expect(await versions.find(scope, flow._id, 1)).toEqual(version);
    expect(await entriesOf(flow._id)).toEqual([
      expect.objectContaining({ action_type: 'flow_updated', company_id: companyId, outcome: 'success' }),
    ]);
  });

  it('replaces only the version that was read, and leaves no trace of a change that lost', async () => {
    const scope = new TenantScope(newId());
    const flow = await stored(scope);
    const attempts = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        flows.replace(scope, flow, { ...flow, name, version: 2 }, 'u1', entryFor(flow)),
      ),
    );
    expect(attempts.filter(Boolean)).toHaveLength(1);
    expect(await flows.find(scope, flow._id)).toMatchObject({ version: 2 });
    expect(await versions.find(scope, flow._id, 2)).not.toBeNull();
    expect(await versions.find(scope, flow._id, 3)).toBeNull();
    expect(await entriesOf(flow._id)).toHaveLength(2);
  });

  it('replaces test cases only while they are those that were read', async () => {
    const scope = new TenantScope(newId());
    const flow = await stored(scope);
    const now = new Date();
    const caseOf = (name: string): TestCaseDocument => ({
      ...{ _id: newId(), company_id: scope.companyId, flowId: flow._id, name, args: {}, fixtures: {}, expected: {} },
      ...{ required: false, createdBy: 'u1', createdAt: now, updatedAt: now },
    });
    const collection = mongo.collection<TestCaseDocument>(TEST_CASES);
    const put = (version: number, before: readonly TestCaseDocument[], after: readonly TestCaseDocument[]) => {
      const at = { ...flow, version: version - 1 };
      return flows.replace(scope, at, { ...flow, version }, 'u1', entryFor(flow), { before, after });
    };
    const [first, late, third] = [caseOf('first'), caseOf('late'), caseOf('third')];
    expect(await put(2, [], [first])).toBe(true);
    await collection.insertOne(late);
    expect(await put(3, [first], [third])).toBe(false);
    const changed = { ...first, name: 'changed', updatedAt: new Date(now.getTime() + 1) };
    await collection.replaceOne({ _id: first._id }, changed);
    expect(await put(3, [first, late], [third])).toBe(false);
    expect(await flows.find(scope, flow._id)).toMatchObject({ version: 2 });
    expect(await collection.find({ flowId: flow._id }).sort({ _id: 1 }).toArray()).toEqual([changed, late]);
    expect(await put(3, [changed, late], [third])).toBe(true);
    expect(await collection.find({ flowId: flow._id }).toArray()).toEqual([third]);
  });

  it('takes the flow back when its audit entry cannot be written', async () => {
    const scope = new TenantScope(newId());
    const flow = newFlow(scope);
    const broken = { ...entryFor(flow), changes: { name: { before: null, after: { 'a\0b': 1 } } } };
    await expect(flows.insert(scope, flow, broken)).rejects.toThrow(/null bytes/);
    expect(await flows.find(scope, flow._id)).toBeNull();
    expect(await versions.find(scope, flow._id, 1)).toBeNull();
  });

  it('keeps companies apart', async () => {
    const scope = new TenantScope(newId());
    const other = new TenantScope(newId());
    const flow = await stored(scope);
    expect(await flows.find(other, flow._id)).toBeNull();
    expect(await flows.findHead(other, flow._id)).toBeNull();
    expect(await versions.find(other, flow._id, 1)).toBeNull();
    expect((await flows.list(other, EVERYTHING, {}, PAGE)).items).toEqual([]);
    const stolen = { ...flow, company_id: other.companyId, version: 2 };
    expect(await flows.replace(other, flow, stolen, 'u1', entryFor(stolen))).toBe(false);
    await expect(flows.replace(other, flow, { ...flow, version: 2 }, 'u1', entryFor(flow))).rejects.toThrow(TypeError);
  });

  it('lists newest first, by page and by cursor alike, without layers', async () => {
    const scope = new TenantScope(newId());
    const made: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) made.unshift((await stored(scope, { name }))._id);
    const byPage: string[] = [];
    for (const page of [0, 1, 2]) {
      const found = await flows.list(scope, EVERYTHING, {}, { ...PAGE, page });
      expect(found).toMatchObject({ total: 5, totalCapped: false });
      byPage.push(...found.items.map((flow) => flow._id));
      expect(found.items[0]).not.toHaveProperty('layers');
    }
    const byCursor: string[] = [];
    let after: string | null = null;
    do {
      const found = await flows.list(scope, EVERYTHING, {}, { ...PAGE, after });
      byCursor.push(...found.items.map((flow) => flow._id));
      after = found.nextAfter;
    } while (after !== null);
    expect(byPage).toEqual(made);
    expect(byCursor).toEqual(made);
  });

  it('filters', async () => {
    const scope = new TenantScope(newId());
    await stored(scope, { name: 'Order (new)', category: 'sales' });
    await stored(scope, { name: 'Blue', isBlueprint: true, enabled: false });
    await stored(scope, { name: 'Gone', filteredAt: new Date() });
    const names = async (filter: object): Promise<string[]> =>
      (await flows.list(scope, EVERYTHING, filter, { ...PAGE, size: 10 })).items.map((flow) => flow.name);
    expect(await names({ q: 'order (' })).toEqual(['Order (new)']);
    expect(await names({ q: '.*' })).toEqual([]);
    expect(await names({ category: 'sales' })).toEqual(['Order (new)']);
    expect(await names({ isBlueprint: true })).toEqual(['Blue']);
    expect(await names({ enabled: true })).toEqual(['Order (new)']);
    expect(await names({ filtered: true })).toEqual(['Gone']);
  });

  it('shows restricted flows to their creator and to those who see all', async () => {
    const scope = new TenantScope(newId());
    const open = await stored(scope, { createdBy: 'u2' });
    const closed = await stored(scope, { createdBy: 'u1', restricted: true });
    const seenBy = async (visibility: Parameters<FlowRepository['list']>[1]): Promise<string[]> =>
      (await flows.list(scope, visibility, {}, PAGE)).items.map((flow) => flow._id);
    expect(await seenBy(EVERYTHING)).toEqual([closed._id, open._id]);
    expect(await seenBy({ ...ROLE, createdBy: 'u1' })).toEqual([closed._id, open._id]);
    expect(await seenBy({ ...ROLE, createdBy: 'u2' })).toEqual([open._id]);
    expect(await seenBy(NOBODY)).toEqual([]);
    const other = { ...ROLE, createdBy: 'u2' };
    expect(await flows.choiceFor(scope, EVERYTHING)).toEqual({ except: [] });
    expect(await flows.choiceFor(scope, other)).toEqual({ except: [closed._id] });
    expect(await flows.choiceFor(scope, NOBODY)).toEqual({ only: [] });
  });

  it('shows what was granted, by itself or with its group, to any role', async () => {
    const scope = new TenantScope(newId());
    const plain = await stored(scope);
    const given = await stored(scope, { restricted: true });
    const [groupId, otherId] = [await flowGroup(scope), await flowGroup(scope)];
    const grouped = await stored(scope, { restricted: true, groupId });
    const closed = await stored(scope, { restricted: true, groupId: otherId });
    const granted = { grantedFlowIds: [given._id, 'none'], grantedGroupIds: [groupId] };
    const seenBy = async (visibility: Parameters<FlowRepository['list']>[1]): Promise<string[]> =>
      (await flows.list(scope, visibility, {}, { ...PAGE, size: 10 })).items.map((flow) => flow._id);
    expect(await seenBy({ ...ROLE, ...granted })).toEqual([grouped._id, given._id, plain._id]);
    expect(await seenBy({ ...NOBODY, ...granted })).toEqual([grouped._id, given._id]);
    expect(await flows.choiceFor(scope, { ...ROLE, ...granted })).toEqual({ except: [closed._id] });
    const { only } = (await flows.choiceFor(scope, { ...NOBODY, ...granted })) as { only: string[] };
    expect([...only].sort()).toEqual([given._id, grouped._id].sort());
  });

  it('gives the run path flows of several companies at once, and no deleted ones', async () => {
    const a = await stored(new TenantScope(newId()));
    const b = await stored(new TenantScope(newId()), { enabled: false });
    const gone = await stored(new TenantScope(newId()), { filteredAt: new Date() });
    const found = await flows.findRunnable(new SystemScope('spec'), [a._id, b._id, gone._id, 'none']);
    expect(found.map((row) => [row._id, row.enabled]).sort()).toEqual(
      [
        [a._id, true],
        [b._id, false],
      ].sort(),
    );
    expect(found[0]).not.toHaveProperty('layers');
  });
});
