import type { GrantType, Permission, ResourceType } from '@weft/access';
import { Schema } from 'mongoose';

export const GRANTS = 'grants';

/** A grant with the names of docs/http-api.md §3, `ID` as `_id`. One thing has at most one grant to one user or group. */
export interface GrantDocument {
  readonly _id: string;
  readonly CompanyID: string;
  readonly ResourceType: ResourceType;
  readonly ResourceID: string;
  /** Who made the thing, and so may see and take back grants on it. It never changes. */
  readonly ResourceCreatedBy: string;
  readonly GrantType: GrantType;
  readonly GranteeID: string;
  /** In the order of `PERMISSIONS`, each once, at least one. */
  readonly Permissions: readonly Permission[];
  readonly CreatedBy: string;
  readonly CreatedAt: Date;
}

export const grantSchema = new Schema<GrantDocument>(
  {
    _id: { type: String, required: true },
    CompanyID: { type: String, required: true },
    ResourceType: { type: String, required: true },
    ResourceID: { type: String, required: true },
    ResourceCreatedBy: { type: String, required: true },
    GrantType: { type: String, required: true },
    GranteeID: { type: String, required: true },
    Permissions: { type: [String], required: true },
    CreatedBy: { type: String, required: true },
    CreatedAt: { type: Date, required: true },
  },
  { collection: GRANTS, versionKey: false },
);

// The same grant is there once, whoever gives it at the same moment; the grants on a thing.
grantSchema.index({ CompanyID: 1, ResourceType: 1, ResourceID: 1, GrantType: 1, GranteeID: 1 }, { unique: true });
// What reaches a caller: asked by every process once a second for all callers whose role is not enough.
grantSchema.index({ GranteeID: 1 });
// The list of a company, newest first.
grantSchema.index({ CompanyID: 1, _id: -1 });
