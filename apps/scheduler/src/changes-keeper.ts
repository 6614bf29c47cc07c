import { Injectable } from '@nestjs/common';
import {
  ChangeFeedsRepository,
  ChangeLog,
  ChangeSequencer,
  Mongo,
  PASS_WITHIN_MS,
  SystemScope,
  TenantScope,
} from '@weft/persistence';
import { within } from '@weft/process';

/** A feed that nobody has read for this long is not kept up; its next reader brings it up to date. */
const USED_WITHIN_MS = 30 * 86_400_000;
const PAGE = 100;
const BATCHES_AT_ONCE = 200;
/** Of a company in one pass. */
const TRIM_PAGES = 10;
const FEEDS = new SystemScope('change logs of all companies are kept up, and trimmed as their plays are deleted');

/** Keeps the change logs that somebody reads up to date, and deletes what is only about deleted plays. Replicas need no leader. */
@Injectable()
export class ChangesKeeper {
  private readonly feeds: ChangeFeedsRepository;
  private readonly changes: ChangeLog;
  /** Where the walk over each company's log goes on. */
  private readonly trimmedTo = new Map<string, number>();

  constructor(
    private readonly mongo: Mongo,
    private readonly sequencer: ChangeSequencer,
  ) {
    this.feeds = new ChangeFeedsRepository(mongo);
    this.changes = new ChangeLog(mongo);
  }

  async pass(signal: AbortSignal): Promise<void> {
    const since = new Date(this.mongo.serverNow() - USED_WITHIN_MS);
    for (let after: string | null = ''; after !== null;) {
      const page: readonly string[] = await this.feeds.usedSince(FEEDS, since, after, PAGE);
      for (const companyId of page) {
        if (signal.aborted) return;
        const scope = new TenantScope(companyId);
        await within(this.sequencer.pass(scope), PASS_WITHIN_MS);
        await this.trim(scope);
      }
      after = page.length === PAGE ? (page.at(-1) ?? null) : null;
    }
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
