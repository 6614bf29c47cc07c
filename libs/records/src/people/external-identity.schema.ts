import { Schema } from 'mongoose';
import { tokenFields, type TokenFields } from '../integrations/token-fields.js';

export const EXTERNAL_IDENTITIES = 'external_identities';

/**
 * The account of a user at an identity provider: who comes from there with this issuer and subject is that user. Several
 * accounts of one address may each be tied to it.
 */
export interface ExternalIdentityDocument extends TokenFields {
  readonly _id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly user_id: string;
  /** What the provider says; for people to read. Nobody is found by it. */
  readonly email: string | null;
  readonly linked_at: Date;
  readonly last_login_at: Date;
}

export const externalIdentitySchema = new Schema<ExternalIdentityDocument>(
  {
    _id: { type: String, required: true },
    issuer: { type: String, required: true },
    subject: { type: String, required: true },
    user_id: { type: String, required: true },
    email: { type: String, default: null },
    linked_at: { type: Date, required: true },
    last_login_at: { type: Date, required: true },
    ...tokenFields,
  },
  { collection: EXTERNAL_IDENTITIES, versionKey: false },
);

// Whose account it is; it is tied to a user once.
externalIdentitySchema.index({ issuer: 1, subject: 1, user_id: 1 }, { unique: true });
// The accounts of a user: listed to that user, and removed with the user.
externalIdentitySchema.index({ user_id: 1 });
// Tokens that are due for a refresh.
externalIdentitySchema.index({ RefreshAt: 1 }, { partialFilterExpression: { RefreshAt: { $type: 'date' } } });
