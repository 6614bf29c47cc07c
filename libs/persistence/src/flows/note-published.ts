/** Notes on stored versions which of them were published, as part of the write that decides it. */
import type { ClientSession } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import { FLOW_VERSIONS, flowVersionId, type FlowVersionDocument } from './flow-version.schema.js';
import type { FlowDocument } from './flow.schema.js';
import { isPublishedByHand, publishedVersionOf } from './publication.js';

/**
 * When runs get another version: both the one that they have used and the one that they use from now on were published. What holds
 * for versions without a mark, the flow says (`settleUnmarked`).
 */
export async function notePublished(
  session: ClientSession,
  mongo: Mongo,
  before: FlowDocument,
  after: FlowDocument,
): Promise<void> {
  const [last, now] = [publishedVersionOf(before), publishedVersionOf(after)];
  // where each change applies at once, each version has its mark from the write that saved it
  if (!isPublishedByHand(before) || now === null || now === last) return;
  const { _id: flowId, company_id: companyId } = before;
  const _id = { $in: [last ?? now, now].map((version) => flowVersionId(flowId, version)) };
  const versions = mongo.collection<FlowVersionDocument>(FLOW_VERSIONS);
  await versions.updateMany({ _id, companyId }, { $set: { published: true } }, { session });
}
