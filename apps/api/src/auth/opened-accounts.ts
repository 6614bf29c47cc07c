import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { Sessions } from '@weft/identity';
import {
  CompanyRepository,
  Mongo,
  openPlaceIn,
  SystemScope,
  TenantScope,
  UserRepository,
  type CompanyDocument,
  type SignInProof,
  type UserDocument,
} from '@weft/persistence';

const SIGN_IN = new SystemScope('a sign-in opens the accounts of its address in whichever companies');

/** Accounts of one address that one sign-in opens, and those of their companies that can be entered. */
export interface Opened {
  readonly accounts: readonly UserDocument[];
  readonly companies: readonly CompanyDocument[];
}

/**
 * What a sign-in opens. Companies share no account: each one that invites an address has one of its own, with a password that
 * its holder chose by that company's link. A password opens the accounts of the address that have it, an account at a
 * provider those that it was tied to. Nothing else leads from one account to another.
 */
@Injectable()
export class OpenedAccounts {
  private readonly users: UserRepository;
  private readonly companies: CompanyRepository;

  constructor(
    mongo: Mongo,
    private readonly sessions: Sessions,
  ) {
    this.users = new UserRepository(mongo);
    this.companies = new CompanyRepository(mongo);
  }

  /** Of a session; the caller's own account comes first. Null: it is gone. A key opens its own company alone. */
  async of(caller: Principal): Promise<Opened | null> {
    const scope = new TenantScope(caller.companyId);
    const user = await this.users.findMember(scope, caller.userId);
    if (!user) return null;
    if (caller.auth === 'session') return this.by(user, await this.sessions.proofOf(caller));
    const company = await this.companies.find(scope);
    return { accounts: [user], companies: company ? [company] : [] };
  }

  /** Of a sign-in to this account; it comes first. */
  async by(user: UserDocument, proof: SignInProof | null): Promise<Opened> {
    return this.withCompanies(await this.users.findOpened(SIGN_IN, user, proof));
  }

  async withCompanies(accounts: readonly UserDocument[]): Promise<Opened> {
    const ids = accounts.flatMap((account) =>
      account.company_roles.map(({ company_id }) => company_id).filter((id) => openPlaceIn(account, id)),
    );
    const companies = await this.companies.findMany(SIGN_IN, ids);
    return { accounts, companies: companies.filter(({ active }) => active) };
  }
}

/** The place that a sign-in enters: where there is more than one, of the account that was used last, and with a role. */
export function entrance({
  accounts,
  companies,
}: Opened): { readonly user: UserDocument; readonly companyId: string } | null {
  const places = accounts.flatMap((user) =>
    user.company_roles
      .filter(({ company_id }) => openPlaceIn(user, company_id) && companies.some(({ _id }) => _id === company_id))
      .map(({ company_id, role }) => ({ user, companyId: company_id, role })),
  );
  return places.find(({ role }) => role !== 'none') ?? places[0] ?? null;
}
