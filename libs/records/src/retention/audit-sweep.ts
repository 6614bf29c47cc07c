import { BATCH_SIZE, cutoffOf, type RetentionRule } from '@weft/retention';
import type { mongo } from 'mongoose';
import { AuditCutter, AUDIT_LOGS, UNSEALED, type AuditKeys, type AuditDocument, type TenantScope } from '@weft/store';
import type { Sweep, SweepContext, SweepPreview, SweepStep } from './sweep.js';

/** Deletes old audit entries from the beginning of their chain, which stays verifiable. */
export class AuditSweep implements Sweep {
  readonly collection = 'audit_logs';
  readonly scope = 'audit';
  private readonly cutter: AuditCutter;

  /** @param company null: the log of what belongs to no company */
  constructor(
    private readonly context: Pick<SweepContext, 'mongo' | 'now' | 'states'>,
    private readonly company: TenantScope | null,
    private readonly rule: RetentionRule,
    keys: AuditKeys,
  ) {
    this.cutter = new AuditCutter(context.mongo, keys);
  }

  get policyId() {
    return this.rule.policyId;
  }

  async step(): Promise<SweepStep> {
    const start = performance.now();
    let decidedMs: number | null = null;
    const deleted = await this.cutter.cut(this.company, {
      before: this.cutoff(),
      keep: this.rule.minEntries,
      limit: BATCH_SIZE,
      also: async (session, entries) => {
        decidedMs = performance.now() - start;
        await this.context.states.count(session, this.company, 'audit_logs', entries);
      },
    });
    return { deleted, more: deleted === BATCH_SIZE, decidedMs: decidedMs ?? performance.now() - start };
  }

  async preview(): Promise<SweepPreview> {
    const entries: mongo.Collection<AuditDocument> = this.context.mongo.collection<AuditDocument>(AUDIT_LOGS);
    const company_id = this.company?.companyId ?? null;
    const [all, old] = await Promise.all([
      entries.countDocuments({ company_id }),
      entries.countDocuments({ company_id, seal: { $gt: UNSEALED }, timestamp: { $lt: this.cutoff() } }),
    ]);
    const wouldDelete = Math.max(0, Math.min(old, all - this.rule.minEntries));
    return { wouldDelete, kept: all - wouldDelete };
  }

  private cutoff(): Date {
    return new Date(cutoffOf(this.rule, this.context.now.getTime()));
  }
}
