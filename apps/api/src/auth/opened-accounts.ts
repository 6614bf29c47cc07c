import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { Sessions } from '@weft/identity';
import { SystemScope, TenantScope } from '@weft/store';
import {
  CompanyRepository,
  openMembershipIn,
  UserRepository,
  type CompanyDocument,
  type SignInProof,
  type UserDocument,
} from '@weft/records';

const SIGN_IN = new SystemScope('a sign-in opens the accounts of its address in whichever companies');

/** The accounts of one address that a sign-in opens, and those of their companies that are open to them. */
export interface OpenedBySignIn {
  readonly accounts: readonly UserDocument[];
  readonly companies: readonly CompanyDocument[];
  /** One more of them is stopped. */
  readonly isStopped: boolean;
}

/**
 * Finds the accounts that a sign-in opens. Companies share no accounts: each company that invites an address has its own account
 * for it, with a password that its holder chose by that company's link. A password opens the accounts of the address that have
 * it, an account at a provider those that it is linked to. Nothing else connects one account to another.
 */
@Injectable()
export class OpenedAccounts {
  constructor(
    private readonly users: UserRepository,
    private readonly companies: CompanyRepository,
    private readonly sessions: Sessions,
  ) {}

  /** Opened by the caller's session, the caller's own account first; null when it was deleted. A key opens only its own company. */
  async openedBySession(caller: Principal): Promise<OpenedBySignIn | null> {
    const scope = new TenantScope(caller.companyId);
    const user = await this.users.findMember(scope, caller.userId);
    if (!user) return null;
    if (caller.auth === 'session') return this.openedByProof(user, await this.sessions.proofOf(caller));
    const company = await this.companies.find(scope);
    return { accounts: [user], companies: company ? [company] : [], isStopped: false };
  }

  /** Opened by a sign-in to this account, which comes first. */
  async openedByProof(user: UserDocument, proof: SignInProof | null): Promise<OpenedBySignIn> {
    return this.withCompanies(await this.users.findOpened(SIGN_IN, user, proof));
  }

  async withCompanies(accounts: readonly UserDocument[]): Promise<OpenedBySignIn> {
    const ids = accounts.flatMap((account) =>
      account.company_roles.map(({ company_id }) => company_id).filter((id) => openMembershipIn(account, id)),
    );
    const companies = await this.companies.findMany(SIGN_IN, ids);
    const open = companies.filter(({ active }) => active);
    return { accounts, companies: open, isStopped: open.length < companies.length };
  }
}

/** The membership that a sign-in begins with: of several, that of the account used last, and one with a role. */
export function chooseMembership({
  accounts,
  companies,
}: OpenedBySignIn): { readonly user: UserDocument; readonly companyId: string } | null {
  const places = accounts.flatMap((user) =>
    user.company_roles
      .filter(({ company_id }) => openMembershipIn(user, company_id) && companies.some(({ _id }) => _id === company_id))
      .map(({ company_id, role }) => ({ user, companyId: company_id, role })),
  );
  return places.find(({ role }) => role !== 'none') ?? places[0] ?? null;
}
