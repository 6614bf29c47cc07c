import type { RetentionCollection } from '@weft/retention';
import type { ClientSession, mongo } from 'mongoose';
import { recordAudit, type Mongo, type SystemScope, type TenantScope } from '@weft/store';
import { RETENTION_STATES, type RetentionStateDocument } from './retention-state.schema.js';

const DAY_MS = 86_400_000;
const NO_COMPANY = '-';

/** One run over one company, as its audit entries report it. */
export interface RetentionReport {
  /** When the run began, by MongoDB's clock. */
  readonly run: Date;
  /** The collections that were looked at, with the milliseconds that each took. */
  readonly tookMs: ReadonlyMap<RetentionCollection, number>;
}

/**
 * Counts what is deleted, exactly: in the transaction of the deletion. A run that dies leaves its counts to the next one,
 * which reports them.
 */
export class RetentionStateRepository {
  constructor(private readonly mongo: Mongo) {}

  async read(scope: TenantScope | null): Promise<RetentionStateDocument | null> {
    return this.states().findOne({ _id: idOf(scope) });
  }

  /** In the transaction that deletes the entries. */
  async count(
    session: ClientSession,
    scope: TenantScope | null,
    collection: RetentionCollection,
    entries: number,
  ): Promise<void> {
    if (entries === 0) return;
    await this.states().updateOne(
      { _id: idOf(scope) },
      { $inc: { [`pending.${collection}`]: entries } },
      { session, upsert: true },
    );
  }

  /**
   * Writes `retention_cleanup_run` for each collection that lost entries, and once a day for one that did not.
   *
   * @returns entries that were reported
   */
  async report(_scope: SystemScope, company: TenantScope | null, { run, tookMs }: RetentionReport): Promise<number> {
    if (!isNews(await this.read(company), [...tookMs.keys()], run)) return 0;
    return this.mongo.transaction(async (session) => {
      const state = await this.states().findOne({ _id: idOf(company) }, { session });
      const pending = Object.entries(state?.pending ?? {}) as [RetentionCollection, number][];
      const counts = new Map(pending);
      for (const collection of tookMs.keys()) {
        if (!counts.has(collection) && isDayOver(state, collection, run)) counts.set(collection, 0);
      }
      if (counts.size === 0) return 0;
      const deleted = pending.reduce((sum, [, entries]) => sum + entries, 0);
      await recordAudit(
        session,
        ...[...counts].map(([collection, entries]) => ({
          action_type: 'retention_cleanup_run' as const,
          collection,
          company_id: company?.companyId ?? null,
          entries_deleted: entries,
          duration_ms: Math.round(tookMs.get(collection) ?? 0),
        })),
      );
      const told = Object.fromEntries([...counts.keys()].map((collection) => [`told.${collection}`, run]));
      await this.states().updateOne(
        { _id: idOf(company) },
        { $set: { ...told, ...(deleted > 0 && { last: { run, deleted } }) }, $unset: { pending: '' } },
        { session, upsert: true },
      );
      return deleted;
    });
  }

  private states(): mongo.Collection<RetentionStateDocument> {
    return this.mongo.collection<RetentionStateDocument>(RETENTION_STATES);
  }
}

function idOf(scope: TenantScope | null): string {
  return scope?.companyId ?? NO_COMPANY;
}

function isNews(state: RetentionStateDocument | null, collections: readonly RetentionCollection[], run: Date): boolean {
  return state?.pending !== undefined || collections.some((collection) => isDayOver(state, collection, run));
}

function isDayOver(state: RetentionStateDocument | null, collection: RetentionCollection, run: Date): boolean {
  const told = state?.told?.[collection];
  return !told || run.getTime() - told.getTime() >= DAY_MS;
}
