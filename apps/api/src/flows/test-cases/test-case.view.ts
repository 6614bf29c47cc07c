import type { TestCaseView } from '@weft/contracts';
import type { TestCaseDocument } from '@weft/records';

export function toTestCaseView(testCase: TestCaseDocument): TestCaseView {
  const { _id, flowId, name, args, fixtures, expected, required, createdBy, createdAt, updatedAt } = testCase;
  return {
    id: _id,
    flowId,
    name,
    args,
    fixtures,
    expected,
    required,
    createdBy,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
