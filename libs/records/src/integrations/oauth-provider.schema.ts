import type { Role } from '@weft/access';
import { Schema } from 'mongoose';

export const OAUTH_PROVIDERS = 'oauth_providers';

/** An identity provider of the installation. There are a handful: found by id, or all of them. */
export interface OAuthProviderDocument {
  readonly _id: string;
  readonly name: string;
  /** As the provider writes it in its tokens. */
  readonly issuer: string;
  readonly client_id: string;
  /** Sealed; null for a public client. */
  readonly client_secret: string | null;
  /** Null: `API_URL` followed by `/auth/callback`. */
  readonly redirect_uri: string | null;
  readonly scopes: readonly string[];
  readonly auto_create_users: boolean;
  readonly auto_assign_company: string | null;
  readonly auto_assign_role: Role;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const oauthProviderSchema = new Schema<OAuthProviderDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    issuer: { type: String, required: true },
    client_id: { type: String, required: true },
    client_secret: { type: String, default: null },
    redirect_uri: { type: String, default: null },
    scopes: { type: [String], required: true },
    auto_create_users: { type: Boolean, required: true },
    auto_assign_company: { type: String, default: null },
    auto_assign_role: { type: String, required: true },
    created_by: { type: String, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { collection: OAUTH_PROVIDERS, versionKey: false },
);
