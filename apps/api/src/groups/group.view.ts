import type { GroupDocument } from '@weft/records';
import { listOf, named, object, pageOf, text } from '../http/schema.js';

/** A group as the API shows it: docs/http-api.md §3. */
export interface GroupView {
  readonly id: string;
  readonly name: string;
  readonly company_id: string;
  /** User ids. */
  readonly members: readonly string[];
}

export function toGroupView({ _id, name, company_id }: GroupDocument, members: readonly string[]): GroupView {
  return { id: _id, name, company_id, members };
}

export const groupSchema = named(
  'Group',
  object<GroupView>({ id: text, name: text, company_id: text, members: listOf(text) }),
);
export const groupPageSchema = pageOf('Group', groupSchema);
