import { createIdSource } from '@weft/kernel';
import type { ExternalIdentityDocument } from '@weft/persistence';
import { randomInt } from 'node:crypto';

const newId = createIdSource(Date.now, randomInt(2 ** 32));

/** A linked account at a provider, as a sign-in there would have stored it; its tokens are invalid. */
export function tiedIdentity(user_id: string, subject = newId()): ExternalIdentityDocument {
  const [now, nothing] = [new Date(), null];
  return {
    ...{ _id: newId(), issuer: 'https://id.example.com', subject, user_id, email: nothing },
    ...{ linked_at: now, last_login_at: now, ProviderID: nothing, Issuer: nothing },
    ...{ AccessToken: '', RefreshToken: nothing, TokenExpiry: nothing, Scopes: [] },
    ...{ RefreshAt: nothing, RefreshError: nothing, RefreshBy: nothing, RefreshLease: nothing },
  };
}
