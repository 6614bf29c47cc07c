import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { Mongo, TenantScope } from '@weft/store';
import { JobRepository, RetentionPlan, type RetentionPolicyDocument, type Sweep } from '@weft/records';
import {
  toPreviewItem,
  type RetentionPreviewItem,
  type RetentionPreviewView,
  type RetentionStatsView,
} from './retention-policy.view.js';

/** Reports what retention deleted, and what it would delete next. */
@Injectable()
export class RetentionReportsService {
  constructor(
    private readonly mongo: Mongo,
    private readonly plan: RetentionPlan,
    private readonly jobs: JobRepository,
  ) {}

  async stats(caller: Principal): Promise<RetentionStatsView> {
    const scope = new TenantScope(caller.companyId);
    const [jobs, state, sweeps] = await Promise.all([
      this.jobs.list(),
      this.plan.states.read(scope),
      this.sweepsOf(scope),
    ]);
    const job = jobs.find(({ _id }) => _id === 'retention');
    const isOfLastRun = state?.last !== undefined && state.last.run.getTime() === job?.lastRun?.getTime();
    return {
      last_cleanup: job?.lastRun?.toISOString() ?? null,
      last_duration_ms: job?.durationMs ?? null,
      entries_deleted: isOfLastRun ? (state.last?.deleted ?? 0) : 0,
      next_cleanup: job?.nextRun.toISOString() ?? null,
      collections_processed: [...new Set(sweeps.map(({ collection }) => collection))],
    };
  }

  /**
   * Uses the same rules and queries as the cleanup, one rule after the other, because nobody waits for the result.
   *
   * @param tried a policy that is not stored, counted as if it were
   */
  async preview(caller: Principal, tried?: RetentionPolicyDocument): Promise<RetentionPreviewView> {
    const items: RetentionPreviewItem[] = [];
    for (const sweep of await this.sweepsOf(new TenantScope(caller.companyId), tried)) {
      items.push(toPreviewItem(sweep, await sweep.preview()));
    }
    return { items };
  }

  private sweepsOf(scope: TenantScope, tried?: RetentionPolicyDocument): Promise<Sweep[]> {
    return this.plan.sweepsOf(scope, new Date(this.mongo.serverNow()), tried);
  }
}
