/** The tag of a flow's document: it covers the test cases, of which the version of the flow says nothing. Pure. */
import { createHash } from 'node:crypto';
import type { FlowDocument, TestCaseDocument } from '@weft/records';
import type { FlowTag } from '../../http/etag.js';

const MARK_CHARS = 16;

/** `"7-9f86d081884c7d65"` @param cases all of the flow, in the order of their ids */
export function documentTag({ version }: Pick<FlowDocument, 'version'>, cases: readonly TestCaseDocument[]): string {
  return `"${version}-${markOf(cases)}"`;
}

/** Whether one of the tags is of the flow and these cases; a tag of the flow alone is of any cases. */
export function isTagged(
  tags: readonly FlowTag[],
  { version }: Pick<FlowDocument, 'version'>,
  cases: readonly TestCaseDocument[],
): boolean {
  return tags.some((tag) => tag.version === version && (tag.cases === null || tag.cases === markOf(cases)));
}

/** Each change of a case has a later time than the one before. */
function markOf(cases: readonly TestCaseDocument[]): string {
  const hash = createHash('sha256');
  for (const { _id, updatedAt } of cases) hash.update(`${_id}:${updatedAt.getTime()}\n`);
  return hash.digest('hex').slice(0, MARK_CHARS);
}
