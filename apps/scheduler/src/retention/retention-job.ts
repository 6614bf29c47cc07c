import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { AuditKeyRing } from '@weft/identity';
import { Metrics, LOG } from '@weft/observability';
import { Mongo, SystemScope } from '@weft/store';
import { CompanyRepository, RetentionPlan, RunTimeSettings } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { describeDefaults, knownDurationMs } from '@weft/retention';
import type { Logger } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { Jobs } from '../jobs/jobs.js';
import { RetentionCleaner } from './retention-cleaner.js';

/** The job `retention`. */
@Injectable()
export class RetentionJob {
  constructor(
    jobs: Jobs,
    mongo: Mongo,
    @Inject(SETTINGS) settings: Settings,
    runTime: RunTimeSettings,
    metrics: Metrics,
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
      onStep: (collection, companyId, deleted, decidedMs) =>
        metrics.retentionStep(collection, companyId ?? 'none', deleted, decidedMs / 1_000),
      onProgress: (runMs) => metrics.retentionRun((runMs ?? 0) / 1_000),
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
      run: (run) => cleaner.run(run),
    });
  }
}
