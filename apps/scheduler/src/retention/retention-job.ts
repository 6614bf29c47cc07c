import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { AuditKeyRing } from '@weft/identity';
import { Metrics, LOG } from '@weft/observability';
import { Mongo, PLAYS, SystemScope } from '@weft/store';
import { CompanyRepository, RetentionPlan, RunTimeSettings } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { describeDefaults, knownDurationMs } from '@weft/retention';
import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { Jobs } from '../jobs/jobs.js';
import type { JobRun } from '../jobs/job-definition.js';
import { RetentionCleaner, type RetentionProgress } from './retention-cleaner.js';

const TELL_EVERY_MS = 5_000;

/** The job `retention`. */
@Injectable()
export class RetentionJob {
  private tellLeft?: JobRun['tellLeft'];
  private bytesOfPlay = 0;
  private toldAt = 0;

  constructor(
    jobs: Jobs,
    mongo: Mongo,
    @Inject(SETTINGS) settings: Settings,
    runTime: RunTimeSettings,
    private readonly metrics: Metrics,
    bus: InvalidationBus,
    @Inject(LOG) log: Logger,
  ) {
    const companies = new CompanyRepository(mongo);
    const scope = new SystemScope('retention cleans all companies');
    const plan = new RetentionPlan(mongo, {
      defaults: settings.retention.defaults,
      auditKeys: new AuditKeyRing(mongo, settings.secrets),
      onGrantees: (ids) => ids.forEach((id) => bus.publish({ kind: 'grants', id })),
    });
    const cleaner = new RetentionCleaner({
      plan,
      companies: () => companies.allIds(scope),
      clocks: { local: () => Date.now(), server: () => mongo.serverNow() },
      pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined), // the run checks the signal itself
      onStep: (collection, companyId, step) => metrics.retentionStep(collection, companyId ?? 'none', step),
      onProgress: (progress) => this.tell(progress),
      onVisit: (collection, status, tookMs) => metrics.retentionCleanup(collection, status, tookMs / 1_000),
      onFault: (company_id, err) =>
        log.error({ component: 'retention', company_id, err }, 'a company was not cleaned; the next run tries again'),
    });
    log.info(
      { component: 'retention', defaults: describeDefaults(settings.retention.defaults) },
      'retention deletes by these defaults where a company has no policy of its own',
    );
    jobs.add({
      name: 'retention',
      everyMs: () => knownDurationMs(runTime.get('retention.cleanup_interval')),
      run: async (run) => {
        this.tellLeft = run.tellLeft;
        this.bytesOfPlay = await averageBytes(mongo).catch(() => this.bytesOfPlay); // a figure: the run goes on with the last known
        return cleaner.run(run);
      },
    });
  }

  private tell(progress: RetentionProgress | null): void {
    const { plays = 0, overdueMs = 0 } = progress?.left ?? {};
    const left = { plays, bytes: plays * this.bytesOfPlay, overdue_ms: Math.round(overdueMs) };
    this.metrics.retentionRun((progress?.runMs ?? 0) / 1_000);
    this.metrics.retentionLeft(left);
    const now = performance.now();
    if (progress === null || now < this.toldAt + TELL_EVERY_MS) return;
    this.toldAt = now;
    // only for people: the next one says it again
    void this.tellLeft?.(left).catch(() => undefined);
  }
}

/** From the sizes that MongoDB keeps: nothing is read. */
async function averageBytes(mongo: Mongo): Promise<number> {
  const { avgObjSize = 0 } = await mongo.db.command({ collStats: PLAYS }, { signal: mongo.deadline() });
  return Math.round(avgObjSize as number);
}
