import { Injectable } from '@nestjs/common';
import { Metrics } from '@weft/observability';
import { CompanyRepository } from '@weft/records';
import { Pass } from '@weft/process';
import { bytesOfPlays, Mongo, PayloadStore, SystemScope, TenantScope } from '@weft/store';

const ALL = new SystemScope('what each company stores is measured, for its limit and its operators');
const LIMITED_EVERY_MS = 60_000;
const OTHERS_EVERY_MS = 3_600_000;
const AT_ONCE = 100;
/** Plays are measured again after a hundred times as long as it took, so that it takes a hundredth of the time of one connection at most. */
const REST = 100;
/** As many rows as the page of metrics has of one label. */
const MOST_SHOWN = 1_000;

/** Measures how many bytes companies store: of files and large values, and of plays. Two schedulers at once measure the same twice. */
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

  /** Apart from the others: the plays of the largest companies take long. */
  @Pass({ name: 'bytes of plays', everyMs: 20_000 })
  async measurePlays(stopping: AbortSignal): Promise<void> {
    const now = () => this.mongo.serverNow();
    for (const { id, isLimited } of await this.companies.playsToMeasure(ALL, new Date(now()), AT_ONCE)) {
      if (stopping.aborted) return;
      const scope = new TenantScope(id);
      await this.companies.beginMeasuringPlays(scope, new Date(now()), new Date(now() + OTHERS_EVERY_MS));
      const start = performance.now();
      const bytes = await bytesOfPlays(this.mongo, scope, stopping);
      const restMs = isLimited ? Math.max(LIMITED_EVERY_MS, REST * (performance.now() - start)) : OTHERS_EVERY_MS;
      await this.companies.setStoredPlays(scope, bytes, new Date(now() + Math.min(restMs, OTHERS_EVERY_MS)));
    }
  }
}
