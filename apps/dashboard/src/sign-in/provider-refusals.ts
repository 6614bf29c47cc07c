const WORDS: Readonly<Record<string, string>> = {
  account_exists:
    'There is an account with this e-mail address already. Sign in with its password, then tie the two in your account.',
  account_taken: 'That account at the provider is tied to somebody else here.',
  no_account: 'Nobody here has this account yet. An admin of your company can invite you.',
  no_company: 'Your account is in no company. An admin can give you a role.',
  email_missing: 'The provider told no e-mail address.',
  email_unverified: 'The provider has not verified your e-mail address.',
  user_deactivated: 'Your account is deactivated.',
  access_denied: 'You were not let in at the provider.',
  denied: 'Your role does not open this.',
  invalid_state: 'This sign-in took too long or was begun in another browser. Try again.',
  invalid_response: 'The provider answered something that cannot be right. Try again, or tell an operator.',
  provider_unavailable: 'The provider cannot be reached. Try again in a moment.',
  unknown_provider: 'This provider is not set up here.',
};

/** Why signing in with a provider did not work, by the code in the address. */
export function providerRefusal(code: string): string {
  return Object.hasOwn(WORDS, code) ? (WORDS[code] as string) : 'Signing in with the provider did not work. Try again.';
}
