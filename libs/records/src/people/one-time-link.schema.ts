import { Schema } from 'mongoose';

export const ONE_TIME_LINKS = 'one_time_links';

/** A way to choose a password once: an invitation, or a reset. The token itself is in the link only. */
export interface OneTimeLinkDocument {
  readonly _id: string;
  /** SHA-256 of the token. */
  readonly token_hash: string;
  readonly user_id: string;
  /** The company whose admin made it. */
  readonly company_id: string;
  /** The companies of the user when the link was made: in one that came later it opens nothing. Absent: `company_id` alone. */
  readonly company_ids?: readonly string[];
  readonly kind: 'invitation' | 'password_reset';
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

export const oneTimeLinkSchema = new Schema<OneTimeLinkDocument>(
  {
    _id: { type: String, required: true },
    token_hash: { type: String, required: true },
    user_id: { type: String, required: true },
    company_id: { type: String, required: true },
    company_ids: { type: [String], default: undefined },
    kind: { type: String, required: true },
    created_by: { type: String, required: true },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  { collection: ONE_TIME_LINKS, versionKey: false },
);

// The link that somebody followed.
oneTimeLinkSchema.index({ token_hash: 1 }, { unique: true });
// A user's links, which end together.
oneTimeLinkSchema.index({ user_id: 1 });
// Expired ones go by themselves, within a minute: every reader looks at expires_at too.
oneTimeLinkSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
