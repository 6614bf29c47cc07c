import type { CacheView, ProcessCache } from '@weft/concurrency';
import type { mongo } from 'mongoose';
import {
  recordAudit,
  takeTurn,
  findPage,
  readInPortions,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type TenantScope,
} from '@weft/store';
import { FLOWS } from './flow.schema.js';
import { TEST_CASES, type TestCaseDocument } from './test-case.schema.js';

/** A case may have 128 KB of the smallest values, which take long to decode. */
const CASES_AT_ONCE = 2;

/** Test cases of flows. Every change is one transaction with its audit entry. */
export class TestCaseRepository {
  private readonly fixtures: CacheView<TestCaseDocument['fixtures']>;

  constructor(
    private readonly mongo: Mongo,
    cache: ProcessCache,
  ) {
    this.fixtures = cache.of('test_case_fixtures');
  }

  async find(scope: TenantScope, flowId: string, id: string): Promise<TestCaseDocument | null> {
    return this.cases().findOne({ _id: id, company_id: scope.companyId, flowId });
  }

  async list(scope: TenantScope, flowId: string, page: PageRequest): Promise<PageOf<TestCaseDocument>> {
    return findPage<TestCaseDocument>(this.cases(), { company_id: scope.companyId, flowId }, page, {});
  }

  /**
   * All of a flow, oldest first: as many as a flow may have, so no page. Fixtures, the large part of a case, come from the
   * cache when it has those of the case's last change.
   */
  async findAll(
    scope: TenantScope,
    flowId: string,
    filter: { readonly required?: true } = {},
  ): Promise<TestCaseDocument[]> {
    const all = { company_id: scope.companyId, flowId, ...filter };
    const found = this.cases()
      .find<Omit<TestCaseDocument, 'fixtures'>>(all, { projection: { fixtures: 0 } })
      .sort({ _id: 1 });
    const heads = await readInPortions(found, () => 1, CASES_AT_ONCE);
    const known = heads.flatMap((head) => {
      const fixtures = this.fixtures.get(fixturesKey(head));
      return fixtures ? [{ ...head, fixtures }] : [];
    });
    if (known.length === heads.length) return known;
    const others = this.cases().find({ ...all, _id: { $nin: known.map(({ _id }) => _id) } });
    const missing = await readInPortions(others, () => 1, CASES_AT_ONCE);
    for (const one of missing) this.fixtures.set(fixturesKey(one), one.fixtures);
    return [...known, ...missing].sort((a, b) => (a._id < b._id ? -1 : 1));
  }

  /** Those that have a fixture for one of these layers. */
  async withFixtures(
    { companyId }: TenantScope,
    layers: readonly { readonly flowId: string; readonly ref: string }[],
  ): Promise<Pick<TestCaseDocument, '_id' | 'flowId' | 'name' | 'required'>[]> {
    if (layers.length === 0) return [];
    const $or = layers.map(({ flowId, ref }) => ({ flowId, [`fixtures.${ref}`]: { $exists: true } }));
    return this.cases()
      .find({ company_id: companyId, $or }, { projection: { flowId: 1, name: 1, required: 1 } })
      .sort({ _id: 1 })
      .toArray();
  }

  /**
   * @param max cases that a flow may have: holds exactly, also when several are made at once
   * @returns `full` when the flow has as many, `gone` when it is deleted; nothing was written then
   */
  async insert(
    scope: TenantScope,
    testCase: TestCaseDocument,
    max: number,
    entry: AuditEntryInput,
  ): Promise<'made' | 'full' | 'gone'> {
    const { companyId } = scope;
    if (testCase.company_id !== companyId) throw new TypeError('a case of another company cannot be made here');
    const { flowId } = testCase;
    return this.mongo.transaction(async (session) => {
      const flow = { _id: flowId, company_id: companyId, filteredAt: null };
      if (!(await takeTurn(session, this.mongo, FLOWS, flow))) return 'gone';
      const present = await this.cases().countDocuments({ company_id: companyId, flowId }, { session });
      if (present >= max) return 'full';
      await this.cases().insertOne(testCase, { session });
      await recordAudit(session, entry);
      return 'made';
    });
  }

  /** False when exactly what was read is not there any more; nothing was written then. */
  async replace(
    scope: TenantScope,
    before: TestCaseDocument,
    after: TestCaseDocument,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { _id, ...body } = after;
      const { matchedCount } = await this.cases().replaceOne(
        { _id, company_id: scope.companyId, flowId: before.flowId, updatedAt: before.updatedAt },
        body,
        { session },
      );
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /** False when it is not there. */
  async remove(scope: TenantScope, flowId: string, id: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.cases().deleteOne(
        { _id: id, company_id: scope.companyId, flowId },
        { session },
      );
      if (deletedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  private cases(): mongo.Collection<TestCaseDocument> {
    return this.mongo.collection<TestCaseDocument>(TEST_CASES);
  }
}

/** Each change of a case has a later time than the one before: under this name the fixtures never change. */
function fixturesKey({ _id, updatedAt }: Pick<TestCaseDocument, '_id' | 'updatedAt'>): string {
  return `${_id}:${updatedAt.getTime()}`;
}
