import { Inject, Injectable } from '@nestjs/common';
import {
  SecretBox,
  sealTokens,
  type ExternalAccount,
  type IssuedTokens,
  type IdentityProvider,
  type RequestOrigin,
} from '@weft/identity';
import { NEW_ID, type NewId } from '@weft/kernel';
import { emailKey, Mongo, SystemScope, TenantScope } from '@weft/store';
import {
  CompanyRepository,
  EXTERNAL_IDENTITIES,
  ExternalIdentityRepository,
  openMembershipIn,
  membershipIn,
  UserRepository,
  USERS,
  type CompanyRole,
  type ExternalIdentityDocument,
  type UserDocument,
} from '@weft/records';
import { chooseMembership, OpenedAccounts } from '../auth/opened-accounts.js';
import { OAuthRefusal } from './oauth-refusal.js';

const SIGN_IN = new SystemScope('an account at a provider names no company');

/** An account at a provider whose user has just authorized us, with the tokens of that authorization. */
export interface AuthorizedAccount {
  readonly provider: IdentityProvider;
  readonly account: ExternalAccount;
  readonly tokens: IssuedTokens;
  readonly origin: RequestOrigin;
}

/**
 * Finds or creates the user of an account at a provider. Issuer and subject identify the account; an e-mail address that a
 * provider names opens no existing account (docs/security.md S44).
 */
@Injectable()
export class ExternalUsers {
  constructor(
    private readonly mongo: Mongo,
    private readonly identities: ExternalIdentityRepository,
    private readonly users: UserRepository,
    private readonly companies: CompanyRepository,
    private readonly secrets: SecretBox,
    private readonly opened: OpenedAccounts,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /**
   * The user to sign in (created if the provider is configured so) and the company to sign in to.
   *
   * @throws OAuthRefusal
   */
  async admit(authorized: AuthorizedAccount): Promise<{ readonly user: UserDocument; readonly companyId: string }> {
    const known = await this.usersOf(authorized);
    const accounts = await Promise.all(
      (known.length > 0 ? known : [await this.create(authorized)]).map((user) => this.withCompany(authorized, user)),
    );
    const entered = chooseMembership(await this.opened.withCompanies(accounts));
    if (entered) return entered;
    const isKeptOut = accounts.every(({ company_roles }) => company_roles.every(({ deactivated }) => deactivated));
    if (isKeptOut) throw refusal('user_deactivated', 'the user is deactivated', authorized, accounts[0]);
    throw refusal('no_company', 'none of the companies of the user is active', authorized, accounts[0]);
  }

  /**
   * Links the account to a signed-in user. There is no other way for a provider's account to reach an existing user.
   *
   * @throws OAuthRefusal `account_taken`, `denied`
   */
  async link(authorized: AuthorizedAccount, userId: string, companyId: string): Promise<void> {
    const user = await this.users.findMember(new TenantScope(companyId), userId);
    if (!user || !openMembershipIn(user, companyId)) {
      throw refusal('denied', 'the user who set out is not active any more', authorized);
    }
    const owners = await this.usersOf(authorized);
    if (owners.some(({ _id }) => _id === user._id)) return;
    if (owners.some(({ email_key }) => email_key !== user.email_key)) {
      throw refusal('account_taken', 'the account belongs to another user', authorized, user);
    }
    const identity = this.identityOf(authorized, user._id);
    await this.identities.insert(SIGN_IN, identity, {
      action_type: 'external_identity_linked',
      collection: EXTERNAL_IDENTITIES,
      company_id: companyId,
      ...actor(user, authorized.origin),
      changes: {
        issuer: { before: null, after: identity.issuer },
      },
    });
  }

  /** The users that the account is linked to, most recently used first. The new tokens are stored. */
  private async usersOf(authorized: AuthorizedAccount): Promise<UserDocument[]> {
    const { issuer, subject, email } = authorized.account;
    const identities = await this.identities.findAll(SIGN_IN, issuer, subject);
    const ids = identities.map(({ user_id }) => user_id);
    const users = ids.length > 0 ? await this.users.findAccounts(SIGN_IN, ids) : [];
    const identity = identities.find(({ user_id }) => user_id === users[0]?._id);
    if (identity) {
      const now = this.mongo.serverNow();
      const fields = this.tokensOf(authorized, identity._id, now);
      await this.identities.renew(SIGN_IN, identity._id, { ...fields, email, last_login_at: new Date(now) });
    }
    return users;
  }

  private async create(authorized: AuthorizedAccount): Promise<UserDocument> {
    const { provider, account, origin } = authorized;
    const { email, isEmailVerified } = account;
    const owner = email === null ? undefined : await this.conflictingAccount(provider, email);
    if (owner && isEmailVerified) {
      // A concurrent first sign-in may have created the user since this one looked.
      const [made] = await this.usersOf(authorized);
      if (made) return made;
      throw refusal('account_exists', 'a user has this e-mail', authorized, owner);
    }
    if (!provider.autoCreateUsers) throw refusal('no_account', 'users are not made automatically', authorized);
    if (email === null) throw refusal('email_missing', 'the provider names no e-mail that can be used', authorized);
    if (!isEmailVerified) throw refusal('email_unverified', 'the provider has not verified the e-mail', authorized);
    const place = await this.defaultMembership(authorized);
    const user: UserDocument = {
      _id: this.newId(),
      email,
      email_key: emailKey(email),
      name: account.name,
      password_hash: null,
      operator: false,
      company_roles: [place],
      created_at: new Date(this.mongo.serverNow()),
      last_activity: null,
    };
    const isMade = await this.identities.insertWithUser(SIGN_IN, this.identityOf(authorized, user._id), user, {
      action_type: 'user_created',
      collection: USERS,
      company_id: place.company_id,
      ...actor(user, origin),
      reason: `signed in at ${provider.name}`,
      changes: { role: { before: null, after: place.role } },
    });
    if (isMade) return user;
    // A concurrent first sign-in created the user.
    const [winner] = await this.usersOf(authorized);
    if (!winner) throw refusal('account_exists', 'a user has this e-mail', authorized);
    return winner;
  }

  /**
   * The existing account with this address that prevents a new one. An account that another company made does not count: that
   * company's admin could otherwise keep people out of the provider's company, and would learn about them.
   */
  private async conflictingAccount(provider: IdentityProvider, email: string): Promise<UserDocument | undefined> {
    const accounts = await this.users.findByEmail(SIGN_IN, email);
    const { autoCreateUsers, autoAssignCompany } = provider;
    if (!autoCreateUsers || autoAssignCompany === null) return accounts[0];
    return accounts.find((account) => membershipIn(account, autoAssignCompany));
  }

  /** docs/http-api.md §2: a user without a company joins the provider's default one. */
  private async withCompany(authorized: AuthorizedAccount, user: UserDocument): Promise<UserDocument> {
    if (user.company_roles.length > 0) return user;
    const place = await this.defaultMembership(authorized, user);
    const isAssigned = await this.identities.assignCompany(SIGN_IN, user._id, place, {
      action_type: 'company_assigned',
      collection: USERS,
      company_id: place.company_id,
      ...actor(user, authorized.origin),
      changes: { role: { before: null, after: place.role } },
    });
    if (isAssigned) return { ...user, company_roles: [place] };
    // A concurrent sign-in may have assigned a company. Otherwise that company has another account with the address.
    const now = await this.users.find(SIGN_IN, user._id);
    if (now && now.company_roles.length > 0) return now;
    throw refusal('account_exists', 'the company has another account with this e-mail', authorized, user);
  }

  private async defaultMembership(authorized: AuthorizedAccount, user?: UserDocument): Promise<CompanyRole> {
    const { autoAssignCompany, autoAssignRole } = authorized.provider;
    const company = autoAssignCompany === null ? null : await this.companies.find(new TenantScope(autoAssignCompany));
    if (!company?.active) throw refusal('no_company', 'the provider has no company for new users', authorized, user);
    return { company_id: company._id, role: autoAssignRole, group_ids: [] };
  }

  private identityOf(authorized: AuthorizedAccount, userId: string): ExternalIdentityDocument {
    const { issuer, subject, email } = authorized.account;
    const now = this.mongo.serverNow();
    const id = this.newId();
    return {
      _id: id,
      issuer,
      subject,
      user_id: userId,
      email,
      linked_at: new Date(now),
      last_login_at: new Date(now),
      ...this.tokensOf(authorized, id, now),
    };
  }

  private tokensOf({ provider, tokens }: AuthorizedAccount, identityId: string, now: number) {
    const place = { companyId: null, collection: EXTERNAL_IDENTITIES, recordId: identityId };
    return {
      ...sealTokens(this.secrets, place, tokens, now),
      Scopes: tokens.scopes,
      ProviderID: provider.id,
      Issuer: provider.issuer,
      RefreshBy: null,
      RefreshLease: null,
    };
  }
}

function actor(user: UserDocument, { address, requestId }: RequestOrigin) {
  return {
    UserID: user._id,
    UserEmail: user.email,
    UserIPAddress: address,
    request_id: requestId,
    resource_type: 'user',
    resource_id: user._id,
  };
}

function refusal(
  code: OAuthRefusal['code'],
  message: string,
  { account }: AuthorizedAccount,
  user?: UserDocument,
): OAuthRefusal {
  return new OAuthRefusal(code, message, {
    ...(user && { userId: user._id, companyId: user.company_roles[0]?.company_id ?? null }),
    email: account.email,
  });
}
