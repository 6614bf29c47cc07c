import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import { SystemScope, TenantScope, type PageOf, type PageRequest } from '@weft/store';
import {
  COMPANIES,
  CompanyRepository,
  UserRepository,
  openMembershipIn,
  type CompanyDocument,
  type UserDocument,
} from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { OpenedAccounts } from '../auth/opened-accounts.js';
import { administeredBy } from '../users/account-rights.js';
import type { UpdateCompanyBody } from './company.requests.js';

const OWN_COMPANIES = new SystemScope('a user may belong to several companies, and an operator sees all');

/** Manages companies. Actions across companies need an operator. */
@Injectable()
export class CompaniesService {
  constructor(
    private readonly companies: CompanyRepository,
    private readonly users: UserRepository,
    private readonly opened: OpenedAccounts,
    private readonly bus: InvalidationBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  async create(actor: Actor, name: string): Promise<CompanyDocument> {
    const company = { _id: this.newId(), name, active: true, created_at: new Date(this.clock.now()) };
    const entry = actorEntry(actor, 'company_created', subjectOf(company._id), { name: { before: null, after: name } });
    if (!(await this.companies.create(OWN_COMPANIES, company, actor.caller.userId, entry))) {
      throw new WeftError('unauthenticated', 'Your account is gone.');
    }
    return company;
  }

  async list(caller: Principal, page: PageRequest): Promise<PageOf<CompanyDocument>> {
    const ids = caller.operator ? null : await this.placesOf(caller);
    return this.companies.list(OWN_COMPANIES, ids, page);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<CompanyDocument> {
    const isOwn = caller.operator || (await this.placesOf(caller)).includes(id);
    const company = isOwn ? await this.companies.find(new TenantScope(id)) : null;
    if (!company) throw noSuchCompany();
    return company;
  }

  /** @throws WeftError `not_found`, `operator_required`, `denied` */
  async change(actor: Actor, id: string, body: UpdateCompanyBody): Promise<CompanyDocument> {
    const { caller } = actor;
    const mayChange = caller.operator || administeredBy(caller, await this.self(caller)).has(id);
    if (!mayChange) throw noSuchCompany();
    if (body.active !== undefined && !caller.operator) {
      throw new WeftError('operator_required', 'Only an operator stops or resumes a company.');
    }
    if (body.active === false && id === caller.companyId) {
      throw new WeftError('denied', 'You act in this company: switch to another one to stop it.');
    }
    if (body.backlog_max !== undefined && !caller.operator) {
      throw new WeftError('operator_required', 'Only an operator limits how many plays of a company may wait.');
    }
    const { name, active, backlog_max } = body;
    const change = {
      ...(name !== undefined && { name }),
      ...(active !== undefined && { active }),
      ...(backlog_max !== undefined && { backlog_max }),
    };
    const changed = await this.companies.update(new TenantScope(id), change, (before, after) => {
      const changes = changesBetween(limited(before), limited(after), ['name', 'active', 'backlog_max']);
      return Object.keys(changes).length > 0 ? actorEntry(actor, 'company_updated', subjectOf(id), changes) : null;
    });
    if (!changed) throw noSuchCompany();
    this.bus.publish({ kind: 'company', id });
    return changed;
  }

  private self(caller: Principal): Promise<UserDocument | null> {
    return this.users.find(OWN_COMPANIES, caller.userId);
  }

  /** Of all accounts that the caller signed in to. A key knows the company that it acts in, and no other. */
  private async placesOf(caller: Principal): Promise<readonly string[]> {
    if (caller.auth === 'api_key') return [caller.companyId];
    const accounts = (await this.opened.openedBySession(caller))?.accounts ?? [];
    return accounts.flatMap((account) =>
      account.company_roles.map(({ company_id }) => company_id).filter((id) => openMembershipIn(account, id)),
    );
  }
}

/** A company that never had a limit of its own has no such field. */
function limited(company: CompanyDocument): CompanyDocument {
  return { ...company, backlog_max: company.backlog_max ?? null };
}

function subjectOf(companyId: string) {
  return { collection: COMPANIES, resource_type: 'company', resource_id: companyId, company_id: companyId };
}

function noSuchCompany(): WeftError {
  return new WeftError('not_found', 'You have no such company.');
}
