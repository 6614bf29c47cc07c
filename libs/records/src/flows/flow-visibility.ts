import type { mongo } from 'mongoose';
import type { FlowDocument } from './flow.schema.js';

/** Which flows of a company a caller sees in lists. */
export interface FlowVisibility {
  /** Everything of the company, restricted or not. */
  readonly all: boolean;
  /** Everything that is not restricted: the matrix row of the caller's role. */
  readonly unrestricted: boolean;
  /** Flows made by this user, null where that gives nothing. */
  readonly createdBy: string | null;
  /** Flows that the caller was given … */
  readonly grantedFlowIds: readonly string[];
  /** … and flow groups, which reach their flows. */
  readonly grantedGroupIds: readonly string[];
}

export function visibleTo(visibility: FlowVisibility): mongo.Filter<FlowDocument> {
  if (visibility.all) return {};
  return { $or: [...(visibility.unrestricted ? [{ restricted: false }] : []), ...opened(visibility)] };
}

/** The restricted flows that stay closed to a caller whose role opens all others. */
export function closedTo(visibility: FlowVisibility): mongo.Filter<FlowDocument> {
  return { restricted: true, $nor: opened(visibility) };
}

/** What shows a flow although it is restricted. */
function opened(visibility: FlowVisibility): mongo.Filter<FlowDocument>[] {
  const { createdBy, grantedFlowIds, grantedGroupIds } = visibility;
  return [
    { _id: { $in: [...grantedFlowIds] } },
    { groupId: { $in: [...grantedGroupIds] } },
    ...(createdBy === null ? [] : [{ createdBy }]),
  ];
}
