import type { FlowGroupDocument } from '@weft/records';
import { listOf, named, object, pageOf, text } from '../http/schema.js';

export interface FlowGroupView {
  readonly id: string;
  readonly name: string;
  readonly company_id: string;
  /** Ids of its flows that the caller may read, newest first. */
  readonly flows: readonly string[];
}

export function toFlowGroupView(group: FlowGroupDocument, flows: readonly string[]): FlowGroupView {
  return { id: group._id, name: group.name, company_id: group.company_id, flows };
}

export const flowGroupSchema = named(
  'FlowGroup',
  object<FlowGroupView>({ id: text, name: text, company_id: text, flows: listOf(text) }),
);
export const flowGroupPageSchema = pageOf('FlowGroup', flowGroupSchema);
