import type { CaseDifference, CaseRunView, TestCaseView, TestRunView } from '@weft/contracts';
import * as s from '../../http/schema.js';

export const testCaseSchema = s.named(
  'TestCase',
  s.object<TestCaseView>({
    id: s.text,
    flowId: s.text,
    name: s.text,
    args: s.freeObject,
    fixtures: s.freeObject,
    expected: s.freeObject,
    required: s.flag,
    createdBy: s.text,
    createdAt: s.time,
    updatedAt: s.time,
  }),
);

export const testCasePageSchema = s.pageOf('TestCase', testCaseSchema);

const differenceSchema = s.object<CaseDifference>({
  path: s.text,
  expected: s.anything,
  actual: s.anything,
  message: s.text,
});

export const testRunSchema = s.named(
  'TestRun',
  s.object<TestRunView>({
    passed: s.integer,
    failed: s.integer,
    items: s.listOf(s.object<CaseRunView>({ caseId: s.text, passed: s.flag, differences: s.listOf(differenceSchema) })),
  }),
);
