import { Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { AnalyticsModule } from './analytics/analytics.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { CompaniesModule } from './companies/companies.module.js';
import { ConfigAdminModule } from './config-admin/config.module.js';
import { EventsModule } from './events/events.module.js';
import { FlowsModule } from './flows/flows.module.js';
import { GroupsModule } from './groups/groups.module.js';
import { BodyModule, HttpModule } from './http/http.module.js';
import { KvModule } from './kv/kv.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { PlaysModule } from './plays/plays.module.js';
import { QueueAdminModule } from './queue-admin/queue-admin.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { RunModule } from './run/run.module.js';
import { SchedulerModule } from './scheduler/scheduler.module.js';
import { UsersModule } from './users/users.module.js';

/** The HTTP API. It expects what `HostModule` gives. The first three stand in this order for the reasons they name. */
@Module({
  imports: [
    HttpModule,
    AuthModule,
    BodyModule,
    FlowsModule,
    RunModule,
    PlaysModule,
    ApprovalsModule,
    EventsModule,
    KvModule,
    UsersModule,
    CompaniesModule,
    GroupsModule,
    ConfigAdminModule,
    JobsModule,
    RetentionModule,
    SchedulerModule,
    OAuthModule,
    AccessModule,
    AuditModule,
    AnalyticsModule,
    QueueAdminModule,
  ],
})
export class ApiModule {}
