import { ROLES, SCOPES, type Principal, type Role, type Scope } from '@weft/access';
import { openMembershipIn, type UserDocument } from '@weft/records';
import { flag, listOf, named, object, oneOf, text, time } from '../http/schema.js';
import type { OpenedBySignIn } from './opened-accounts.js';
import { toUserView, userSchema, type UserView } from '../users/user.view.js';

/** docs/http-api.md §2, the answer of login. */
export interface SignedInView {
  readonly user: UserView;
  readonly company_id: string;
  readonly roles: readonly Role[];
  readonly companies: readonly { readonly company_id: string; readonly name: string; readonly role: Role }[];
  readonly expires_at: string;
}

/** docs/http-api.md §2, the answer of me. */
export interface MeView extends SignedInView {
  readonly auth: Principal['auth'];
  readonly scopes: readonly Scope[];
  readonly operator: boolean;
}

/** A user with the scopes and companies of their credential. */
export interface SignedIn extends Pick<OpenedBySignIn, 'accounts' | 'companies'> {
  /** One of the accounts: the one that acts. */
  readonly user: UserDocument;
  readonly companyId: string;
  readonly expiresAt: Date;
}

export function toSignedInView({ user, companyId, accounts, companies, expiresAt }: SignedIn): SignedInView {
  const places = accounts.flatMap((account) =>
    account.company_roles.flatMap(({ company_id, role }) => {
      const company = companies.find(({ _id }) => _id === company_id);
      return company && openMembershipIn(account, company_id) ? [{ company_id, name: company.name, role }] : [];
    }),
  );
  return {
    user: {
      ...toUserView(user, companyId, new Set()),
      company_roles: places.map(({ company_id, role: held }) => ({ company_id, role: held })),
    },
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

const role = oneOf(ROLES);

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
