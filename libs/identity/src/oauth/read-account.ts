import { isEmailAddress } from '@weft/store';
import type { ExternalAccount } from './identity-provider.js';

type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

/**
 * The account that an ID token and its userinfo describe. The address and the claim that it is verified must come from the
 * same source: one source cannot vouch for the other's address.
 *
 * @param vouches see `IdentityProvider.vouchesForEmails`
 */
export function readAccount(
  claims: Claims,
  info: Readonly<Record<string, unknown>> | null,
  vouches: boolean,
): ExternalAccount {
  const source = textOf(info?.email) === null ? claims : (info ?? claims);
  const email = addressOf(source.email);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    isEmailVerified: email !== null && isVerified(source, vouches),
    name: textOf(info?.name) ?? textOf(claims.name),
  };
}

/** `xms_edov` is Microsoft's claim that the domain's owner verified the address. Some providers send text instead of a boolean. */
function isVerified({ email_verified, xms_edov }: Readonly<Record<string, unknown>>, vouches: boolean): boolean {
  const said = email_verified ?? xms_edov;
  if (said === undefined || said === null) return vouches;
  return said === true || said === 'true' || said === 1 || said === '1';
}

/** Normalized as in `POST /users`, so that an address that only looks like another user's is not mistaken for it. */
function addressOf(value: unknown): string | null {
  const address = textOf(value)?.normalize('NFKC') ?? null;
  return address !== null && isEmailAddress(address) ? address : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
