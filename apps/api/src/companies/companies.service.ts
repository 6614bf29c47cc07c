import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import { SystemScope, TenantScope, type PageOf, type PageRequest } from '@weft/store';
import {
  COMPANIES,
  COMPANY_RULES,
  CompanyRepository,
  SPANS,
  StatsRepository,
  sumOf,
  sumOfUsage,
  UserRepository,
  openMembershipIn,
  type CompanyDocument,
  type UserDocument,
} from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { OpenedAccounts } from '../auth/opened-accounts.js';
import { administeredBy } from '../users/account-rights.js';
import type { UpdateCompanyBody, UsageQuery } from './company.requests.js';
import { toStored, toUsed, type UsageView } from './usage.view.js';

const OWN_COMPANIES = new SystemScope('a user may belong to several companies, and an operator sees all');

const USUAL_DAYS = 30;
const MOST_DAYS = 400;
/** Each has queues of its own, and rows of metrics. */
const MOST_LABELS = 50;

/** Manages companies. Actions across companies need an operator. */
@Injectable()
export class CompaniesService {
  constructor(
    private readonly companies: CompanyRepository,
    private readonly users: UserRepository,
    private readonly stats: StatsRepository,
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

  /** @throws WeftError `not_found`, `operator_required`, `denied`, `too_many_labels` */
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
    if (COMPANY_RULES.some((rule) => body[rule] !== undefined) && !caller.operator) {
      throw new WeftError('operator_required', 'Only an operator sets the limits of a company, and its workers.');
    }
    if (body.worker_label != null) await this.assertLabelFits(id, body.worker_label);
    const fields = ['name', 'active', ...COMPANY_RULES] as const;
    const given = fields.filter((field) => body[field] !== undefined);
    const change = Object.fromEntries(given.map((field) => [field, body[field]]));
    const changed = await this.companies.update(new TenantScope(id), change, (before, after) => {
      const changes = changesBetween(before, after, fields);
      return Object.keys(changes).length > 0 ? actorEntry(actor, 'company_updated', subjectOf(id), changes) : null;
    });
    if (!changed) throw noSuchCompany();
    this.bus.publish({ kind: 'company', id });
    return changed;
  }

  /** By days of UTC, at most as long as they are kept. @throws WeftError `not_found` */
  async usage(caller: Principal, id: string, { from, to }: UsageQuery): Promise<UsageView> {
    const mayRead = caller.operator || administeredBy(caller, await this.self(caller)).has(id);
    const company = mayRead ? await this.companies.find(new TenantScope(id)) : null;
    if (!company) throw noSuchCompany();
    const until = to ?? new Date(this.clock.now());
    const first = dayOf(from ?? new Date(until.getTime() - USUAL_DAYS * SPANS.day.ms));
    const days = await this.stats.days(new TenantScope(id), first, until);
    const sorted = [...days].sort(([a], [b]) => a - b).slice(-MOST_DAYS);
    const all = sorted.map(([, day]) => day);
    return {
      company_id: id,
      from: first.toISOString(),
      to: until.toISOString(),
      days: sorted.map(([at, { plays, used }]) => ({
        day: new Date(at).toISOString().slice(0, 10),
        ...toUsed(plays, used),
      })),
      total: toUsed(sumOf(all.map(({ plays }) => plays)), sumOfUsage(all.map(({ used }) => used))),
      stored: toStored(company.stored),
      stored_plays: toStored(company.stored_plays),
    };
  }

  private async assertLabelFits(companyId: string, label: string): Promise<void> {
    const labelled = await this.companies.workerLabels(OWN_COMPANIES);
    const others = new Set([...labelled].flatMap(([id, of]) => (id === companyId ? [] : [of])));
    if (others.size < MOST_LABELS || others.has(label)) return;
    const detail = `The companies of this installation have ${others.size} labels of workers, ${MOST_LABELS} are allowed. Give one that there is, or take one back.`;
    throw new WeftError('too_many_labels', detail);
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

function dayOf(time: Date): Date {
  return new Date(time.getTime() - (time.getTime() % SPANS.day.ms));
}

function subjectOf(companyId: string) {
  return { collection: COMPANIES, resource_type: 'company', resource_id: companyId, company_id: companyId };
}

function noSuchCompany(): WeftError {
  return new WeftError('not_found', 'You have no such company.');
}
