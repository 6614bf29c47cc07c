import { ROLES, type Role } from '@weft/access';
import { stateIn, type UserDocument, type UserState } from '@weft/records';
import { apiKeySchema, type ApiKeyView } from '../auth/api-key.view.js';
import { identitySchema, type IdentityView } from '../oauth/identity.view.js';
import { flag, listOf, named, object, oneOf, pageOf, text, textOrNull, time, timeOrNull } from '../http/schema.js';

/** A user as the API shows it: docs/http-api.md §3. */
export interface UserView {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly state: UserState;
  readonly company_roles: readonly { readonly company_id: string; readonly role: Role }[];
  readonly operator: boolean;
  readonly created_at: string;
  readonly last_activity: string | null;
}

/** The one answer that has the link. */
export interface NewUserView extends UserView {
  readonly invite_url?: string;
}

export interface ResetLinkView {
  readonly reset_url: string;
  readonly expires_at: string;
  /** What opens the account still, without the password. */
  readonly identities: readonly IdentityView[];
  readonly api_keys: readonly ApiKeyView[];
}

/**
 * @param companyId the company that the user is looked at in
 * @param administered by who looks; places in other companies are not shown
 */
export function toUserView(user: UserDocument, companyId: string, administered: ReadonlySet<string>): UserView {
  return {
    id: user._id,
    email: user.email,
    name: user.name,
    state: stateIn(user, companyId),
    company_roles: user.company_roles
      .filter(({ company_id }) => company_id === companyId || administered.has(company_id))
      .map(({ company_id, role }) => ({ company_id, role })),
    operator: user.operator,
    created_at: user.created_at.toISOString(),
    last_activity: user.last_activity?.toISOString() ?? null,
  };
}

const fields = {
  id: text,
  email: text,
  name: textOrNull,
  state: oneOf(['active', 'invited', 'deactivated']),
  company_roles: listOf(object<UserView['company_roles'][number]>({ company_id: text, role: oneOf(ROLES) })),
  operator: flag,
  created_at: time,
  last_activity: timeOrNull,
};

export const userSchema = named('User', object<UserView>(fields));
export const userPageSchema = pageOf('User', userSchema);
export const newUserSchema = named(
  'NewUser',
  object<NewUserView>(
    { ...fields, invite_url: { type: 'string', description: 'Shown this once, when no password was given.' } },
    ['invite_url'],
  ),
);
export const resetLinkSchema = named(
  'ResetLink',
  object<ResetLinkView>({
    reset_url: { type: 'string', description: 'Shown this once.' },
    expires_at: time,
    identities: { ...listOf(identitySchema), description: 'Accounts at identity providers that still open this one.' },
    api_keys: { ...listOf(apiKeySchema), description: 'API keys that still act as the user.' },
  }),
);
