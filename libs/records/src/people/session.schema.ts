import { Schema } from 'mongoose';

export const SESSIONS = 'sessions';

/** How the user was recognised at sign-in: by a password, or by an account at an identity provider. */
export type SignInProof =
  { readonly kind: 'password' } | { readonly kind: 'identity'; readonly issuer: string; readonly subject: string };

/** docs/http-api.md §2, sessions. The `SessionID` itself is nowhere in the store: only its SHA-256. */
export interface SessionDocument {
  readonly _id: string;
  readonly UserID: string;
  /** The company that the session acts in. */
  readonly CompanyID: string;
  readonly SessionHash: string;
  readonly CreatedAt: Date;
  readonly ExpiresAt: Date;
  /** When the session was last renewed; at most a minute older than the last request. */
  readonly LastActivity: Date;
  readonly UserAgent: string;
  readonly IPAddress: string;
  /** Absent in sessions of versions that did not store it: they open no other account of the address. */
  readonly Proof?: SignInProof;
}

export const sessionSchema = new Schema<SessionDocument>(
  {
    _id: { type: String, required: true },
    UserID: { type: String, required: true },
    CompanyID: { type: String, required: true },
    SessionHash: { type: String, required: true },
    CreatedAt: { type: Date, required: true },
    ExpiresAt: { type: Date, required: true },
    LastActivity: { type: Date, required: true },
    UserAgent: { type: String, default: '' },
    IPAddress: { type: String, required: true },
    Proof: { type: Object },
  },
  { collection: SESSIONS, versionKey: false },
);

// The session of a cookie.
sessionSchema.index({ SessionHash: 1 }, { unique: true });
// The sessions of a user in a company: to list them, and to end them when a right is lost.
sessionSchema.index({ UserID: 1, CompanyID: 1 });
// The sessions of a company that is deactivated.
sessionSchema.index({ CompanyID: 1 });
// Expired records go by themselves. The server does that once a minute, so every reader looks at ExpiresAt too.
sessionSchema.index({ ExpiresAt: 1 }, { expireAfterSeconds: 0 });
