import { ROLES, type Role } from '@weft/access';
import type { IdentityProvider } from '@weft/identity';
import type { OAuthProviderDocument } from '@weft/records';
import { flag, listOf, named, object, oneOf, pageOf, text, textOrNull, timeOrNull } from '../http/schema.js';

/** docs/http-api.md §3, an identity provider as operators see it. Its secret is in no answer. */
export interface ProviderView {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly has_client_secret: boolean;
  readonly redirect_uri: string | null;
  readonly scopes: readonly string[];
  readonly auto_create_users: boolean;
  readonly auto_assign_company: string | null;
  readonly auto_assign_role: Role;
  /** Set by the environment: it cannot be changed here. */
  readonly built_in: boolean;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export function toProviderView(provider: OAuthProviderDocument): ProviderView {
  return {
    id: provider._id,
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.client_id,
    has_client_secret: provider.client_secret !== null,
    redirect_uri: provider.redirect_uri,
    scopes: provider.scopes,
    auto_create_users: provider.auto_create_users,
    auto_assign_company: provider.auto_assign_company,
    auto_assign_role: provider.auto_assign_role,
    built_in: false,
    created_at: provider.created_at.toISOString(),
    updated_at: provider.updated_at.toISOString(),
  };
}

export function toBuiltInView(provider: IdentityProvider): ProviderView {
  return {
    id: provider.id,
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.clientId,
    has_client_secret: provider.clientSecret !== null,
    redirect_uri: provider.redirectUri,
    scopes: provider.scopes,
    auto_create_users: provider.autoCreateUsers,
    auto_assign_company: provider.autoAssignCompany,
    auto_assign_role: provider.autoAssignRole,
    built_in: true,
    created_at: null,
    updated_at: null,
  };
}

export const providerSchema = named(
  'OAuthProvider',
  object<ProviderView>({
    id: text,
    name: text,
    issuer: text,
    client_id: text,
    has_client_secret: flag,
    redirect_uri: textOrNull,
    scopes: listOf(text),
    auto_create_users: flag,
    auto_assign_company: textOrNull,
    auto_assign_role: oneOf(ROLES),
    built_in: flag,
    created_at: timeOrNull,
    updated_at: timeOrNull,
  }),
);
export const providerPageSchema = pageOf('OAuthProvider', providerSchema);
