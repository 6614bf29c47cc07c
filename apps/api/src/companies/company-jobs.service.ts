import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { fileIdOf } from '@weft/contracts';
import { NEW_ID, WeftError, type NewId } from '@weft/kernel';
import { InvalidationBus } from '@weft/realtime-bus';
import {
  COMPANIES,
  CompanyJobsRepository,
  CompanyRepository,
  type CompanyDocument,
  type CompanyJobDocument,
  type CompanyJobKind,
} from '@weft/records';
import { SystemScope, TenantScope, type PageOf, type PageRequest } from '@weft/store';
import { actorEntry, type Actor } from '../audit/actor-entry.js';
import { DownloadsService } from '../payloads/downloads.service.js';

const OPERATORS = new SystemScope('an operator exports, imports and erases any company');
const REQUESTED = {
  export: 'company_export_requested',
  import: 'company_import_requested',
  erasure: 'company_erasure_requested',
} as const;

/** What operators do with whole companies; a scheduler carries it out. */
@Injectable()
export class CompanyJobsService {
  constructor(
    private readonly jobs: CompanyJobsRepository,
    private readonly companies: CompanyRepository,
    private readonly downloads: DownloadsService,
    private readonly bus: InvalidationBus,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `not_found`, `company_erasing` */
  async export(actor: Actor, id: string): Promise<CompanyJobDocument> {
    const { _id, name, erasing } = await this.companyOf(id);
    if (erasing) throw isErased();
    return this.start(actor, 'export', { about: _id, name, file: null });
  }

  /** @throws WeftError `invalid_body` */
  async import(actor: Actor, name: string, $ref: string): Promise<CompanyJobDocument> {
    const file = fileIdOf({ $ref });
    const known = file !== null && (await this.downloads.open(actor.caller, file).catch(ignoreRefusal));
    if (!known || known.by !== actor.caller.userId) {
      const message = 'must be the $ref of a file that you have uploaded, as POST /payloads answers it';
      throw new WeftError('unknown_id', `file ${message}.`, {
        errors: [{ path: 'file', code: 'file', message }],
      });
    }
    return this.start(actor, 'import', { about: this.newId(), name, file });
  }

  /**
   * @param confirm the name of the company
   * @throws WeftError `not_found`, `denied`, `confirm_needed`, `company_erasing`
   */
  async erase(actor: Actor, id: string, confirm: string): Promise<CompanyJobDocument> {
    const { _id, name } = await this.companyOf(id);
    if (_id === actor.caller.companyId)
      throw new WeftError('denied', 'You act in this company: switch to another one to erase it.');
    if (confirm !== name)
      throw new WeftError(
        'confirm_needed',
        `Nothing was erased: confirm must be the name of the company, ${JSON.stringify(name)}.`,
      );
    const job = await this.start(actor, 'erasure', { about: _id, name, file: null });
    this.bus.publish({ kind: 'company', id });
    return job;
  }

  list(page: PageRequest): Promise<PageOf<CompanyJobDocument>> {
    return this.jobs.list(OPERATORS, page);
  }

  /** @throws WeftError `not_found` */
  async read(id: string): Promise<CompanyJobDocument> {
    const found = await this.jobs.find(OPERATORS, id);
    if (!found) throw new WeftError('not_found', 'There is no such job, or it is not kept any more.');
    return found;
  }

  private async companyOf(id: string): Promise<CompanyDocument> {
    const found = await this.companies.find(new TenantScope(id));
    if (!found) throw new WeftError('not_found', 'There is no such company.');
    return found;
  }

  private async start(
    actor: Actor,
    kind: CompanyJobKind,
    of: Pick<CompanyJobDocument, 'about' | 'name' | 'file'>,
  ): Promise<CompanyJobDocument> {
    const requested_by = requesterOf(actor.caller);
    const subject = { collection: COMPANIES, resource_type: 'company', resource_id: of.about };
    const entry = actorEntry(actor, REQUESTED[kind], subject, { name: { before: of.name, after: of.name } });
    const job = await this.jobs.start(OPERATORS, { _id: this.newId(), kind, requested_by, ...of }, entry);
    if (!job) throw isErased();
    return job;
  }
}

function requesterOf({ userId, email, companyId }: Principal): CompanyJobDocument['requested_by'] {
  return { user_id: userId, email, company_id: companyId };
}

function ignoreRefusal(error: unknown): null {
  if (error instanceof WeftError) return null;
  throw error;
}

function isErased(): WeftError {
  return new WeftError('company_erasing', 'The company is being erased.');
}
