import type { ClientSession } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { TenantScope } from '../scope.js';
import { TEST_CASES, type TestCaseDocument } from './test-case.schema.js';

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
