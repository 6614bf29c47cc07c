import { Inject, Injectable } from '@nestjs/common';
import { NEW_ID } from '@weft/host';
import {
  SecretBox,
  sealTokens,
  type ExternalAccount,
  type GivenTokens,
  type IdentityProvider,
  type RequestOrigin,
} from '@weft/identity';
import type { NewId } from '@weft/kernel';
import {
  CompanyRepository,
  emailKey,
  EXTERNAL_IDENTITIES,
  ExternalIdentityRepository,
  Mongo,
  openPlaceIn,
  placeIn,
  SystemScope,
  TenantScope,
  UserRepository,
  USERS,
  type CompanyRole,
  type ExternalIdentityDocument,
  type UserDocument,
} from '@weft/persistence';
import { entrance, OpenedAccounts } from '../auth/opened-accounts.js';
import { OAuthRefusal } from './oauth-refusal.js';

const SIGN_IN = new SystemScope('an account at a provider names no company');

/** Who came from a provider, and whether from here on they are somebody here. */
export interface Visitor {
  readonly provider: IdentityProvider;
  readonly account: ExternalAccount;
  readonly tokens: GivenTokens;
  readonly origin: RequestOrigin;
}

/**
 * Which user an account at a provider is. By issuer and subject alone: an e-mail that a provider names opens nobody's account
 * (reliability S44).
 */
@Injectable()
export class ExternalUsers {
  private readonly identities: ExternalIdentityRepository;
  private readonly users: UserRepository;
  private readonly companies: CompanyRepository;

  constructor(
    private readonly mongo: Mongo,
    private readonly secrets: SecretBox,
    private readonly opened: OpenedAccounts,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {
    this.identities = new ExternalIdentityRepository(mongo);
    this.users = new UserRepository(mongo);
    this.companies = new CompanyRepository(mongo);
  }

  /**
   * The user to sign in, made where the provider is set up so, and the company to sign in to.
   *
   * @throws OAuthRefusal
   */
  async admit(visitor: Visitor): Promise<{ readonly user: UserDocument; readonly companyId: string }> {
    const known = await this.known(visitor);
    const accounts = await Promise.all(
      (known.length > 0 ? known : [await this.make(visitor)]).map((user) => this.withCompany(visitor, user)),
    );
    const entered = entrance(await this.opened.withCompanies(accounts));
    if (entered) return entered;
    const isKeptOut = accounts.every(({ company_roles }) => company_roles.every(({ deactivated }) => deactivated));
    if (isKeptOut) throw refusal('user_deactivated', 'the user is deactivated', visitor, accounts[0]);
    throw refusal('no_company', 'none of the companies of the user is active', visitor, accounts[0]);
  }

  /**
   * Ties the account to a user who is signed in: the one way to a local account.
   *
   * @throws OAuthRefusal `account_taken`, `denied`
   */
  async link(visitor: Visitor, userId: string, companyId: string): Promise<void> {
    const user = await this.users.findMember(new TenantScope(companyId), userId);
    if (!user || !openPlaceIn(user, companyId)) {
      throw refusal('denied', 'the user who set out is not active any more', visitor);
    }
    const owners = await this.known(visitor);
    if (owners.some(({ _id }) => _id === user._id)) return;
    if (owners.some(({ email_key }) => email_key !== user.email_key)) {
      throw refusal('account_taken', 'the account belongs to another user', visitor, user);
    }
    const identity = this.identityOf(visitor, user._id);
    await this.identities.insert(SIGN_IN, identity, {
      action_type: 'external_identity_linked',
      collection: EXTERNAL_IDENTITIES,
      company_id: companyId,
      ...actor(user, visitor.origin),
      changes: {
        issuer: { before: null, after: identity.issuer },
      },
    });
  }

  /** The users of this account, the one that was used last first. The tokens are kept with it. */
  private async known(visitor: Visitor): Promise<UserDocument[]> {
    const { issuer, subject, email } = visitor.account;
    const identities = await this.identities.findAll(SIGN_IN, issuer, subject);
    const ids = identities.map(({ user_id }) => user_id);
    const users = ids.length > 0 ? await this.users.findAccounts(SIGN_IN, ids) : [];
    const identity = identities.find(({ user_id }) => user_id === users[0]?._id);
    if (identity) {
      const now = this.mongo.serverNow();
      const fields = this.tokensOf(visitor, identity._id, now);
      await this.identities.renew(SIGN_IN, identity._id, { ...fields, email, last_login_at: new Date(now) });
    }
    return users;
  }

  private async make(visitor: Visitor): Promise<UserDocument> {
    const { provider, account, origin } = visitor;
    const { email, isEmailVerified } = account;
    const owner = email === null ? undefined : await this.inTheWay(provider, email);
    if (owner && isEmailVerified) {
      // Two first sign-ins at once: the other one may have made the user since this one looked.
      const [made] = await this.known(visitor);
      if (made) return made;
      throw refusal('account_exists', 'a user has this e-mail', visitor, owner);
    }
    if (!provider.autoCreateUsers) throw refusal('no_account', 'users are not made automatically', visitor);
    if (email === null) throw refusal('email_missing', 'the provider names no e-mail that can be used', visitor);
    if (!isEmailVerified) throw refusal('email_unverified', 'the provider has not verified the e-mail', visitor);
    const place = await this.defaultPlace(visitor);
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
    const isMade = await this.identities.insertWithUser(SIGN_IN, this.identityOf(visitor, user._id), user, {
      action_type: 'user_created',
      collection: USERS,
      company_id: place.company_id,
      ...actor(user, origin),
      reason: `signed in at ${provider.name}`,
      changes: { role: { before: null, after: place.role } },
    });
    if (isMade) return user;
    // Two first sign-ins at once: the other one made the user.
    const [winner] = await this.known(visitor);
    if (!winner) throw refusal('account_exists', 'a user has this e-mail', visitor);
    return winner;
  }

  /**
   * The account of the address that keeps a new one from being made. One that another company made does not: its admin could
   * keep people out of the company that they come to, and would hear of them.
   */
  private async inTheWay(provider: IdentityProvider, email: string): Promise<UserDocument | undefined> {
    const accounts = await this.users.findByEmail(SIGN_IN, email);
    const { autoCreateUsers, autoAssignCompany } = provider;
    if (!autoCreateUsers || autoAssignCompany === null) return accounts[0];
    return accounts.find((account) => placeIn(account, autoAssignCompany));
  }

  /** Specification §5.3: who belongs to no company gets the provider's default one. */
  private async withCompany(visitor: Visitor, user: UserDocument): Promise<UserDocument> {
    if (user.company_roles.length > 0) return user;
    const place = await this.defaultPlace(visitor, user);
    const isAssigned = await this.identities.assignCompany(SIGN_IN, user._id, place, {
      action_type: 'company_assigned',
      collection: USERS,
      company_id: place.company_id,
      ...actor(user, visitor.origin),
      changes: { role: { before: null, after: place.role } },
    });
    if (isAssigned) return { ...user, company_roles: [place] };
    // Two sign-ins at once: the other one gave it a company. Else that company has another account of the address.
    const now = await this.users.find(SIGN_IN, user._id);
    if (now && now.company_roles.length > 0) return now;
    throw refusal('account_exists', 'the company has another account with this e-mail', visitor, user);
  }

  private async defaultPlace(visitor: Visitor, user?: UserDocument): Promise<CompanyRole> {
    const { autoAssignCompany, autoAssignRole } = visitor.provider;
    const company = autoAssignCompany === null ? null : await this.companies.find(new TenantScope(autoAssignCompany));
    if (!company?.active) throw refusal('no_company', 'the provider has no company for new users', visitor, user);
    return { company_id: company._id, role: autoAssignRole, group_ids: [] };
  }

  private identityOf(visitor: Visitor, userId: string): ExternalIdentityDocument {
    const { issuer, subject, email } = visitor.account;
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
      ...this.tokensOf(visitor, id, now),
    };
  }

  private tokensOf({ provider, tokens }: Visitor, identityId: string, now: number) {
    const place = { companyId: null, collection: EXTERNAL_IDENTITIES, recordId: identityId };
    return {
      ...sealTokens(this.secrets, place, tokens, now),
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

function refusal(code: OAuthRefusal['code'], message: string, { account }: Visitor, user?: UserDocument): OAuthRefusal {
  return new OAuthRefusal(code, message, {
    ...(user && { userId: user._id, companyId: user.company_roles[0]?.company_id ?? null }),
    email: account.email,
  });
}
