import type { ExternalIdentityDocument } from '@weft/records';
import { named, object, pageOf, text, textOrNull, time } from '../http/schema.js';

/** An account at an identity provider that opens a user's account; never its tokens. */
export interface IdentityView {
  readonly id: string;
  readonly provider_id: string | null;
  readonly issuer: string;
  readonly email: string | null;
  readonly linked_at: string;
  readonly last_login_at: string;
}

export function toIdentityView(identity: ExternalIdentityDocument): IdentityView {
  return {
    id: identity._id,
    provider_id: identity.ProviderID,
    issuer: identity.issuer,
    email: identity.email,
    linked_at: identity.linked_at.toISOString(),
    last_login_at: identity.last_login_at.toISOString(),
  };
}

export const identitySchema = named(
  'ExternalIdentity',
  object<IdentityView>({
    id: text,
    provider_id: { ...textOrNull, description: 'The provider that the account was last used at.' },
    issuer: text,
    email: { ...textOrNull, description: 'What the provider says.' },
    linked_at: time,
    last_login_at: time,
  }),
);
export const identityPageSchema = pageOf('ExternalIdentity', identitySchema);
