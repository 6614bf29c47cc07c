import { WeftError } from '@weft/kernel';
import type { TestCaseDocument } from '@weft/records';

/** Args, fixtures and expected of one case together, as JSON. */
const MAX_TEST_CASE_BYTES = 128 * 1024;

type CaseValues = Pick<TestCaseDocument, 'args' | 'fixtures' | 'expected'>;

export function isCaseTooLarge({ args, fixtures, expected }: CaseValues): boolean {
  return Buffer.byteLength(JSON.stringify([args, fixtures, expected])) > MAX_TEST_CASE_BYTES;
}

/** @throws WeftError `body_too_large` */
export function assertCaseSize(values: CaseValues): void {
  if (isCaseTooLarge(values)) {
    throw new WeftError('body_too_large', 'Args, fixtures and expected of a test case together have at most 128 KB.');
  }
}
