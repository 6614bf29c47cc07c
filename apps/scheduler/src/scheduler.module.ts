import { Module } from '@nestjs/common';
import { IdentityModule } from '@weft/identity';
import { PassesModule } from '@weft/process';
import { ChangeSequencer, Mongo } from '@weft/store';
import { EVENT_DELIVERY, RunsModule, SCHEDULED_RUN_AUTHORIZER } from '@weft/runs';
import { ApiImporter } from './apis/api-importer.js';
import { AuditKeeper } from './audit/audit-keeper.js';
import { CacheEvictor } from './caches/cache-evictor.js';
import { ChangesKeeper } from './changes-keeper.js';
import { ChildEnds } from './children/child-ends.js';
import { Destinations } from './destinations/destinations.js';
import { CompanyJobs } from './companies/company-jobs.js';
import { FailureHandlers } from './failures/failure-handlers.js';
import { Glance } from './glance.js';
import { Figures } from './stats/figures.js';
import { StoreGauges } from './stats/store-gauges.js';
import { StoredBytes } from './stats/stored-bytes.js';
import { QueueGauges } from './stats/queue-gauges.js';
import { Jobs } from './jobs/jobs.js';
import { MigrationKeeper } from './migrations/migration-keeper.js';
import { PlayReconciler } from './play-reconciler.js';
import { RetentionJob } from './retention/retention-job.js';
import { Schedules } from './schedules/schedules.js';
import { TokenRefresher } from './token-refresher.js';
import { Upkeep } from './upkeep.js';
import { WebhookDeliverer } from './webhooks/webhook-deliverer.js';

/** Work that no request causes. */
@Module({
  imports: [PassesModule, RunsModule.with({ outcomePatienceMs: 0 }), IdentityModule],
  providers: [
    ApiImporter,
    Jobs,
    AuditKeeper,
    CacheEvictor,
    Destinations,
    MigrationKeeper,
    PlayReconciler,
    Figures,
    QueueGauges,
    RetentionJob,
    Schedules,
    StoredBytes,
    StoreGauges,
    SCHEDULED_RUN_AUTHORIZER,
    EVENT_DELIVERY,
    { provide: ChangeSequencer, useFactory: (mongo: Mongo) => new ChangeSequencer(mongo), inject: [Mongo] },
    ChangesKeeper,
    ChildEnds,
    CompanyJobs,
    FailureHandlers,
    Glance,
    TokenRefresher,
    Upkeep,
    WebhookDeliverer,
  ],
})
export class SchedulerModule {}
