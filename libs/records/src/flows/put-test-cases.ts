import type { ClientSession } from 'mongoose';
import type { Mongo, TenantScope } from '@weft/store';
import { TEST_CASES, type TestCaseDocument } from './test-case.schema.js';

/** A change of all test cases of a flow, in the order of their ids. */
export interface TestCasesChange {
  /** As they were read. */
  readonly before: readonly TestCaseDocument[];
  readonly after: readonly TestCaseDocument[];
}

/**
 * Whether the flow has exactly the test cases that were read, in the transaction that changes the flow. Asked before the flow
 * is written, so that a case that is made at the same moment conflicts with that write.
 */
export async function hasTestCases(
  session: ClientSession,
  mongo: Mongo,
  { companyId }: TenantScope,
  flowId: string,
  read: readonly TestCaseDocument[],
): Promise<boolean> {
  const present = await mongo
    .collection<TestCaseDocument>(TEST_CASES)
    .find<Pick<TestCaseDocument, '_id' | 'updatedAt'>>(
      { company_id: companyId, flowId },
      { projection: { updatedAt: 1 }, session },
    )
    .sort({ _id: 1 })
    .toArray();
  return (
    present.length === read.length &&
    present.every(
      ({ _id, updatedAt }, i) => _id === read[i]?._id && updatedAt.getTime() === read[i].updatedAt.getTime(),
    )
  );
}

/** Makes these the test cases of a flow, in the transaction that changes the flow: others of the flow are removed. */
export async function putTestCases(
  session: ClientSession,
  mongo: Mongo,
  { companyId }: TenantScope,
  flowId: string,
  cases: readonly TestCaseDocument[],
): Promise<void> {
  if (cases.some((each) => each.company_id !== companyId || each.flowId !== flowId)) {
    throw new TypeError('a test case of another flow cannot be written here');
  }
  const collection = mongo.collection<TestCaseDocument>(TEST_CASES);
  const of = { company_id: companyId, flowId };
  await collection.deleteMany({ ...of, _id: { $nin: cases.map(({ _id }) => _id) } }, { session });
  if (cases.length === 0) return;
  await collection.bulkWrite(
    cases.map(({ _id, ...replacement }) => ({ replaceOne: { filter: { _id, ...of }, replacement, upsert: true } })),
    { session },
  );
}
