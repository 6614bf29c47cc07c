import { Schema } from 'mongoose';

export const OAUTH_LOGINS = 'oauth_logins';

/**
 * What somebody went to an identity provider for: to sign in, to tie that account to their own, or to make an integration; or to an
 * authorization server, for tokens of an integration that is there.
 */
export type OAuthPurpose = 'sign_in' | 'link' | 'connect' | 'connect_link';

/** One way to a provider and back. Taken out of the store by the callback, so that nothing of it works twice. */
export interface OAuthLoginDocument {
  /** SHA-256 of `state`. */
  readonly _id: string;
  /** SHA-256 of the cookie of the browser that set out. */
  readonly browser_hash: string;
  readonly purpose: OAuthPurpose;
  /** Of `connect_link`: the integration. */
  readonly provider_id: string;
  /** Of `connect_link`: where the code is exchanged. */
  readonly issuer: string;
  /** Of `connect_link`: a digest of what the integration was when somebody set out to consent; null otherwise. */
  readonly link_digest?: string | null;
  readonly redirect_uri: string;
  /** Of PKCE; sealed. */
  readonly code_verifier: string;
  readonly nonce: string;
  /** Path on this site. */
  readonly return_to: string;
  /** Who set out and where; null for a sign-in. */
  readonly user_id: string | null;
  readonly company_id: string | null;
  /** The session that set out: when it has ended, nothing is tied or connected any more. Null for a sign-in. */
  readonly session_id: string | null;
  readonly expires_at: Date;
}

export const oauthLoginSchema = new Schema<OAuthLoginDocument>(
  {
    _id: { type: String, required: true },
    browser_hash: { type: String, required: true },
    purpose: { type: String, required: true },
    provider_id: { type: String, required: true },
    issuer: { type: String, required: true },
    link_digest: { type: String, default: null } as never,
    redirect_uri: { type: String, required: true },
    code_verifier: { type: String, required: true },
    nonce: { type: String, required: true },
    return_to: { type: String, required: true },
    user_id: { type: String, default: null },
    company_id: { type: String, default: null },
    session_id: { type: String, default: null },
    expires_at: { type: Date, required: true },
  },
  { collection: OAUTH_LOGINS, versionKey: false },
);

// Those that nobody came back from go by themselves; who takes one compares the time too.
oauthLoginSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
