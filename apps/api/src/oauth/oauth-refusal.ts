/** Why somebody who came back from a provider gets no session: `error` of `/login?error=`, reason in audit and metrics. */
export type OAuthRefusalCode =
  | 'invalid_state'
  | 'unknown_provider'
  | 'access_denied'
  | 'invalid_response'
  | 'refresh_refused'
  | 'provider_unavailable'
  /** The e-mail belongs to a user who did not tie this account to theirs. */
  | 'account_exists'
  /** Nobody here has this account, and users are not made automatically. */
  | 'no_account'
  | 'email_missing'
  | 'email_unverified'
  | 'user_deactivated'
  | 'no_company'
  /** The account is tied to another user. */
  | 'account_taken'
  /** Who set out may not do this any more. */
  | 'denied';

export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  /** @param who the account that it is about, where the provider said */
  constructor(
    readonly code: OAuthRefusalCode,
    message: string,
    readonly who: { readonly userId?: string; readonly email?: string | null; readonly companyId?: string | null } = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
