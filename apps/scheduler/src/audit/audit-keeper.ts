import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { AuditKeyRing } from '@weft/identity';
import { Metrics, LOG } from '@weft/observability';
import { AuditCountsRepository, AuditRedactor, AuditSealer, Mongo, SystemScope, type AuditChain } from '@weft/store';
import { Pass } from '@weft/process';
import type { Logger } from 'pino';
import { Jobs } from '../jobs/jobs.js';

/** The interval of the job `audit-cache`: docs/operator-contract.md §4. */
const COUNT_EVERY_MS = 3 * 60_000;

const ALL = new SystemScope('seals, redaction and counts of the audit log are kept for all companies');

/**
 * Keeps the audit log: seals new entries, redacts old ones, and counts entries for the lists. Replicas need no leader: a
 * seal is one transaction on the head of its company's chain, and redacting twice has the effect of redacting once.
 */
@Injectable()
export class AuditKeeper {
  private readonly keys: AuditKeyRing;
  private readonly sealer: AuditSealer;
  private readonly redactor: AuditRedactor;
  private keysAreKept = false;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    mongo: Mongo,
    metrics: Metrics,
    jobs: Jobs,
  ) {
    this.keys = new AuditKeyRing(mongo, settings.secrets);
    this.sealer = new AuditSealer(mongo, this.keys);
    this.redactor = new AuditRedactor(mongo);
    const counts = new AuditCountsRepository(mongo);
    jobs.add({
      name: 'audit-cache',
      everyMs: () => COUNT_EVERY_MS,
      run: async () => {
        const begunAt = performance.now();
        const entries = await counts.refresh(ALL);
        metrics.auditCacheRefreshed((performance.now() - begunAt) / 1_000, entries);
        return {};
      },
    });
  }

  @Pass({ name: 'audit seals', everyMs: 5_000 })
  async seal(): Promise<void> {
    // the keys are stored before they sign a seal, so that a rotation finds them
    if (!this.keysAreKept) await this.keys.remember();
    this.keysAreKept = true;
    const faults: unknown[] = [];
    await this.sealer.sealAll(
      ALL,
      (head, entries) => this.tell(head, entries),
      (_chain, error) => faults.push(error),
    );
    if (faults.length > 0) throw new AggregateError(faults, `${faults.length} audit chains could not be moved on`);
  }

  /** Personal values of old entries. */
  redact(): Promise<unknown> {
    return this.redactor.redactDue(ALL);
  }

  /** Kept outside of MongoDB, this log line reveals an audit log that was cut off at its end together with its head. */
  private tell({ _id: chain, n, seal, brokenAt }: AuditChain, entries: number): void {
    this.log.info({ component: 'audit', chain, n, seal, entries }, 'audit entries were sealed');
    if (brokenAt !== null) {
      this.log.error(
        { component: 'audit', chain, broken_at: brokenAt },
        'THE SEALS OF AN AUDIT LOG WERE TAMPERED WITH',
      );
    }
  }
}
