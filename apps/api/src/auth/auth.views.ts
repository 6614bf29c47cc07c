import { ROLES, SCOPES, type Principal, type Role, type Scope } from '@weft/access';
import type { CompanyDocument, CompanyRole, UserDocument } from '@weft/persistence';
import { flag, listOf, named, object, oneOf, text, textOrNull, time, timeOrNull } from '../http/schema.js';

/** Contract §3, a user as that user sees it. */
export interface UserView {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly state: 'active' | 'invited' | 'deactivated';
  readonly company_roles: readonly { readonly company_id: string; readonly role: Role }[];
  readonly operator: boolean;
  readonly created_at: string;
  readonly last_activity: string | null;
}

/** Contract §2, the answer of login. */
export interface SignedInView {
  readonly user: UserView;
  readonly company_id: string;
  readonly roles: readonly Role[];
  readonly companies: readonly { readonly company_id: string; readonly name: string; readonly role: Role }[];
  readonly expires_at: string;
}

/** Contract §2, the answer of me. */
export interface MeView extends SignedInView {
  readonly auth: Principal['auth'];
  readonly scopes: readonly Scope[];
  readonly operator: boolean;
}

/** A user with the active companies that may be shown. */
export interface SignedIn {
  readonly user: UserDocument;
  readonly companyId: string;
  readonly companies: readonly CompanyDocument[];
  readonly expiresAt: Date;
}

export function toSignedInView({ user, companyId, companies, expiresAt }: SignedIn): SignedInView {
  const places = user.company_roles.flatMap((place) => {
    const company = companies.find((each) => each._id === place.company_id);
    return company ? [{ company_id: place.company_id, name: company.name, role: place.role }] : [];
  });
  return {
    user: toUserView(user, places),
    company_id: companyId,
    roles: places.filter((place) => place.company_id === companyId).map(({ role }) => role),
    companies: places,
    expires_at: expiresAt.toISOString(),
  };
}

export function toMeView(signedIn: SignedIn, caller: Principal): MeView {
  return {
    ...toSignedInView(signedIn),
    auth: caller.auth,
    scopes: caller.scopes,
    operator: caller.operator,
  };
}

function toUserView(user: UserDocument, places: readonly Pick<CompanyRole, 'company_id' | 'role'>[]): UserView {
  return {
    id: user._id,
    email: user.email,
    name: user.name,
    // who signs in at an identity provider has no password, and is not waiting for one
    state: user.active ? ((user.password_hash ?? user.last_activity) ? 'active' : 'invited') : 'deactivated',
    company_roles: places.map(({ company_id, role }) => ({ company_id, role })),
    operator: user.operator,
    created_at: user.created_at.toISOString(),
    last_activity: user.last_activity?.toISOString() ?? null,
  };
}

const role = oneOf(ROLES);

const userSchema = named(
  'User',
  object<UserView>({
    id: text,
    email: text,
    name: textOrNull,
    state: oneOf(['active', 'invited', 'deactivated']),
    company_roles: listOf(object<UserView['company_roles'][number]>({ company_id: text, role })),
    operator: flag,
    created_at: time,
    last_activity: timeOrNull,
  }),
);

const signedInFields = {
  user: userSchema,
  company_id: text,
  roles: listOf(role),
  companies: listOf(object<SignedInView['companies'][number]>({ company_id: text, name: text, role })),
  expires_at: time,
};

export const signedInSchema = named('SignedIn', object<SignedInView>(signedInFields));

export const meSchema = named(
  'Me',
  object<MeView>({
    ...signedInFields,
    auth: oneOf(['session', 'api_key']),
    scopes: listOf(oneOf(SCOPES)),
    operator: flag,
  }),
);
