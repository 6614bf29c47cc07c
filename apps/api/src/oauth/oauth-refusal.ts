/** Why an authorization flow failed: the code in `/login?error=`, and the reason in the audit log and metrics. */
export type OAuthRefusalCode =
  | 'invalid_state'
  | 'unknown_provider'
  | 'access_denied'
  | 'invalid_response'
  | 'refresh_refused'
  | 'provider_unavailable'
  /** The e-mail belongs to a user who has not linked this account. */
  | 'account_exists'
  /** No user has linked this account, and users are not created automatically. */
  | 'no_account'
  | 'email_missing'
  | 'email_unverified'
  | 'user_deactivated'
  | 'no_company'
  /** The account is linked to another user. */
  | 'account_taken'
  /** The user who began the flow may not do this any more. */
  | 'denied';

export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  /** @param who the user that it is about, as far as known */
  constructor(
    readonly code: OAuthRefusalCode,
    message: string,
    readonly who: { readonly userId?: string; readonly email?: string | null; readonly companyId?: string | null } = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
