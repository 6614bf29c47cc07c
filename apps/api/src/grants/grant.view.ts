import { GRANT_TYPES, PERMISSIONS, RESOURCE_TYPES } from '@weft/access';
import type { GrantDocument } from '@weft/records';
import { listOf, named, object, oneOf, pageOf, text, time } from '../http/schema.js';

/** The contract's names, and `id` as every object has it. */
export interface GrantView {
  readonly id: string;
  readonly ID: string;
  readonly CompanyID: string;
  readonly ResourceType: string;
  readonly ResourceID: string;
  readonly GrantType: string;
  readonly GranteeID: string;
  readonly Permissions: readonly string[];
  readonly CreatedBy: string;
  readonly CreatedAt: string;
}

export function toGrantView(grant: GrantDocument): GrantView {
  const { _id, CompanyID, ResourceType, ResourceID, GrantType, GranteeID, Permissions, CreatedBy, CreatedAt } = grant;
  const what = { ResourceType, ResourceID, GrantType, GranteeID, Permissions };
  return { id: _id, ID: _id, CompanyID, ...what, CreatedBy, CreatedAt: CreatedAt.toISOString() };
}

export const grantSchema = named(
  'Grant',
  object<GrantView>({
    id: text,
    ID: text,
    CompanyID: text,
    ResourceType: oneOf(RESOURCE_TYPES),
    ResourceID: text,
    GrantType: oneOf(GRANT_TYPES),
    GranteeID: text,
    Permissions: listOf(oneOf(PERMISSIONS)),
    CreatedBy: text,
    CreatedAt: time,
  }),
);
export const grantPageSchema = pageOf('Grant', grantSchema);
