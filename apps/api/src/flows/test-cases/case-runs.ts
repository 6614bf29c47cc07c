import { Injectable } from '@nestjs/common';
import type { CaseDifference, CaseRunView } from '@weft/contracts';
import type { DryRun } from '@weft/layers';
import type { FlowDocument, TestCaseDocument } from '@weft/records';
import { DryRuns } from '../dry-run/dry-runs.service.js';
import { differencesOf } from './match-expected.js';

/** A failed case, for the caller whose request it prevents. */
export interface FailedCase {
  readonly caseId: string;
  readonly name: string;
  readonly differences: readonly CaseDifference[];
}

/** Runs test cases of the given flow, which need not be stored. */
@Injectable()
export class CaseRuns {
  constructor(private readonly dryRuns: DryRuns) {}

  /** In the order of the cases. */
  async run(flow: FlowDocument, cases: readonly TestCaseDocument[], gone?: AbortSignal): Promise<CaseRunView[]> {
    const runs = await this.dryRuns.runAll(flow, cases, gone);
    return cases.map((testCase, i) => {
      const differences = judge(testCase, runs[i] as DryRun);
      return { caseId: testCase._id, passed: differences.length === 0, differences };
    });
  }

  async failed(flow: FlowDocument, cases: readonly TestCaseDocument[], gone?: AbortSignal): Promise<FailedCase[]> {
    const runs = await this.run(flow, cases, gone);
    return cases.flatMap(({ _id: caseId, name }, i) => {
      const { passed, differences } = runs[i] as CaseRunView;
      return passed ? [] : [{ caseId, name, differences }];
    });
  }
}

/** A play that FAILs fails its case, whatever it answered before; so does an answer that is not stored any more. */
function judge({ expected }: TestCaseDocument, run: DryRun): CaseDifference[] {
  const missing = run.missingFixtures.map((ref) => ({
    path: ref,
    expected: null,
    actual: null,
    message: `the case has no fixture for "${ref}", which reaches outside`,
  }));
  const outs = new Map(run.layers.map(({ ref, out }) => [ref, out]));
  return [...missing, ...failureOf(run), ...differencesOf(expected, outs)];
}

function failureOf({ state, error }: DryRun): CaseDifference[] {
  if (state !== 'FAIL') return [];
  const message = `the play is FAIL: ${error ? `${error.message} (${error.code})` : 'no reason'}`;
  return [{ path: error?.ref ?? '', expected: 'DONE', actual: 'FAIL', message }];
}
