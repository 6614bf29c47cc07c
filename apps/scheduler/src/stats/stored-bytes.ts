import { Injectable } from '@nestjs/common';
import { Metrics } from '@weft/observability';
import { CompanyRepository } from '@weft/records';
import { Mongo, PayloadStore, SystemScope, TenantScope } from '@weft/store';

const ALL = new SystemScope('what each company stores is measured, for its limit and its operators');
const LIMITED_EVERY_MS = 60_000;
const OTHERS_EVERY_MS = 3_600_000;
const AT_ONCE = 100;
/** As many rows as the page of metrics has of one label. */
const MOST_SHOWN = 1_000;

/** Measures how many bytes of files and large values companies store. Two schedulers at once measure the same twice. */
@Injectable()
export class StoredBytes {
  constructor(
    private readonly mongo: Mongo,
    private readonly companies: CompanyRepository,
    private readonly payloads: PayloadStore,
    private readonly metrics: Metrics,
  ) {}

  async measure(signal: AbortSignal): Promise<void> {
    const now = this.mongo.serverNow();
    const before = (ms: number) => new Date(now - ms);
    const due = await this.companies.toMeasure(ALL, before(LIMITED_EVERY_MS), before(OTHERS_EVERY_MS), AT_ONCE);
    for (const id of due) {
      if (signal.aborted) break;
      const scope = new TenantScope(id);
      await this.companies.beginMeasuring(scope, new Date(this.mongo.serverNow()));
      await this.companies.setStored(scope, await this.payloads.bytesOf(scope, signal));
    }
    this.metrics.companyStored(await this.companies.storedBytes(ALL, MOST_SHOWN));
  }
}
