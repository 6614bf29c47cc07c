import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import { AuditKeyRing } from '@weft/identity';
import { WeftError, type Clock, CLOCK } from '@weft/kernel';
import {
  AUDIT_LOGS,
  AuditRepository,
  AuditVerifier,
  Mongo,
  recordAlone,
  SystemScope,
  TenantScope,
  type AuditChange,
  type AuditDocument,
  type AuditFilter,
  type AuditLog,
  type AuditVerdict,
  type PageOf,
  type PageRequest,
} from '@weft/store';
import type { Readable } from 'node:stream';
import { actorEntry, type Actor } from './actor-entry.js';
import type { ExportFormat } from './audit.requests.js';
import { toAuditEntryView, type AuditEntryView } from './audit-entry.view.js';
import { writeEntries } from './write-entries.js';

/** Entries read at once by an export; each read is a query of its own, so a slow reader holds nothing open in MongoDB. */
const EXPORT_BATCH = 100;

const INSTALLATION = new SystemScope('operators look after what belongs to no company');

@Injectable()
export class AuditService {
  private readonly verifier: AuditVerifier;

  constructor(
    private readonly mongo: Mongo,
    private readonly entries: AuditRepository,
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.verifier = new AuditVerifier(mongo, new AuditKeyRing(mongo, settings.secrets));
  }

  /**
   * The log that a caller asks for.
   *
   * @param ofInstallation instead of that of the caller's company
   * @throws WeftError `operator_required`
   */
  logFor(caller: Principal, ofInstallation = false): AuditLog {
    if (!ofInstallation) return new TenantScope(caller.companyId);
    if (caller.operator) return INSTALLATION;
    throw new WeftError('operator_required', 'Only an operator of this installation may see its log.');
  }

  list(log: AuditLog, filter: AuditFilter, page: PageRequest): Promise<PageOf<AuditDocument>> {
    return this.entries.list(log, filter, page);
  }

  /** Is in the log before the first entry leaves, so that no export goes unnoticed; it does not show in itself. */
  async export(actor: Actor, log: AuditLog, filter: AuditFilter, format: ExportFormat): Promise<Readable> {
    const upTo = await this.entries.newestId(log);
    const company_id = log instanceof TenantScope ? log.companyId : null;
    const resource_id = company_id ?? 'installation';
    const exported = { collection: AUDIT_LOGS, resource_type: 'audit', resource_id, company_id };
    await recordAlone(this.mongo, actorEntry(actor, 'audit_exported', exported, exportedBy(format, filter)));
    return writeEntries(format, this.walk(log, filter, upTo));
  }

  /** The company's log, for an operator together with the installation's; or that one alone. */
  async verify(caller: Principal, log: AuditLog): Promise<AuditVerdict> {
    if (!(log instanceof TenantScope)) return this.verifier.verify(null);
    const own = await this.verifier.verify(log);
    if (!own.ok || !caller.operator) return own;
    const installation = await this.verifier.verify(null);
    return { ...installation, checked: own.checked + installation.checked };
  }

  private async *walk(log: AuditLog, filter: AuditFilter, upTo: string): AsyncGenerator<AuditEntryView[]> {
    for (let after: string | null = null; ;) {
      const batch = await this.entries.batch(log, filter, { after, upTo, limit: EXPORT_BATCH });
      if (batch.length > 0) yield batch.map((entry) => toAuditEntryView(entry, this.clock.now()));
      after = batch.at(-1)?._id ?? null;
      if (batch.length < EXPORT_BATCH) return;
    }
  }
}

/** What was exported; an address is a personal value here, too, and forgotten with the others. */
function exportedBy(format: ExportFormat, { actor, ...filter }: AuditFilter): Record<string, AuditChange> {
  const what = {
    format,
    ...filter,
    ...(actor !== undefined && { [actor.includes('@') ? 'actor_email' : 'actor']: actor }),
  };
  return Object.fromEntries(Object.entries(what).map(([name, after]) => [name, { before: null, after }]));
}
