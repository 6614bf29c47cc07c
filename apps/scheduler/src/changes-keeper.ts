import { Injectable } from '@nestjs/common';
import { CompanyRounds, type CompanyStep } from '@weft/concurrency';
import {
  ChangeFeedsRepository,
  ChangeLog,
  ChangeSequencer,
  Mongo,
  PASS_WITHIN_MS,
  SystemScope,
  TenantScope,
} from '@weft/store';
import { within } from '@weft/process';

/** A feed that nobody has read for this long is not kept up; its next reader brings it up to date. */
const USED_WITHIN_MS = 30 * 86_400_000;
/** Companies of one pass. */
const MOST = 10_000;
const BATCHES_AT_ONCE = 200;
/** Of a company in one pass. */
const TRIM_PAGES = 10;
const FEEDS = new SystemScope('change logs of all companies are kept up, and trimmed as their plays are deleted');

/** Keeps the change logs that somebody reads up to date, and deletes what is only about deleted plays. Replicas need no leader. */
@Injectable()
export class ChangesKeeper {
  private readonly feeds: ChangeFeedsRepository;
  private readonly changes: ChangeLog;
  private readonly rounds: CompanyRounds<{ readonly companyId: string }>;
  /** Where the walk over each company's log goes on. */
  private readonly trimmedTo = new Map<string, number>();

  constructor(
    private readonly mongo: Mongo,
    private readonly sequencer: ChangeSequencer,
  ) {
    this.feeds = new ChangeFeedsRepository(mongo);
    this.changes = new ChangeLog(mongo);
    this.rounds = new CompanyRounds({
      next: (after) => this.nextUsed(after),
      step: ({ companyId }) => this.keepUp(companyId),
      stepSize: 1,
      most: MOST,
    });
  }

  pass(signal: AbortSignal): Promise<unknown> {
    return this.rounds.pass(signal);
  }

  private async nextUsed(after: string): Promise<{ readonly companyId: string } | null> {
    const since = new Date(this.mongo.serverNow() - USED_WITHIN_MS);
    const [companyId] = await this.feeds.usedSince(FEEDS, since, after, 1);
    return companyId === undefined ? null : { companyId };
  }

  private async keepUp(companyId: string): Promise<CompanyStep> {
    const scope = new TenantScope(companyId);
    await within(this.sequencer.pass(scope), PASS_WITHIN_MS);
    await this.trim(scope);
    return { did: 1, more: false };
  }

  private async trim(scope: TenantScope): Promise<void> {
    let after: number | null = this.trimmedTo.get(scope.companyId) ?? 0;
    for (let i = 0; i < TRIM_PAGES && after !== null; i += 1) {
      after = await this.changes.trim(scope, after, BATCHES_AT_ONCE);
    }
    if (after === null) this.trimmedTo.delete(scope.companyId);
    else this.trimmedTo.set(scope.companyId, after);
  }
}
