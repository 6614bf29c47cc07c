import { Module } from '@nestjs/common';
import { RunsModule } from '@weft/runs';
import { AccessModule } from './grants/access.module.js';
import { AnalyticsModule } from './analytics/analytics.module.js';
import { ApisModule } from './apis/apis.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ChangesModule } from './changes/changes.module.js';
import { BulkModule } from './bulk/bulk.module.js';
import { CompaniesModule } from './companies/companies.module.js';
import { ConfigAdminModule } from './settings/config.module.js';
import { EventsModule } from './events/events.module.js';
import { FlowsModule } from './flows/flows.module.js';
import { GroupsModule } from './groups/groups.module.js';
import { BodyModule, HttpModule } from './http/http.module.js';
import { DestinationsModule } from './destinations/destinations.module.js';
import { KvModule } from './kv/kv.module.js';
import { LanesModule } from './lanes/lanes.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { PayloadsModule } from './payloads/payloads.module.js';
import { PlaysModule } from './plays/plays.module.js';
import { ProcessesModule } from './processes/processes.module.js';
import { QueueAdminModule } from './queue/queue-admin.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { RunModule } from './plays/run/run.module.js';
import { SchedulerModule } from './schedules/scheduler.module.js';
import { TriggersModule } from './triggers/triggers.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { UsersModule } from './users/users.module.js';

/** The HTTP API. It expects what `HostModule` provides. After `RunsModule`, the first three keep this order for the reasons that they name. */
@Module({
  imports: [
    RunsModule.with({ outcomePatienceMs: 0 }),
    HttpModule,
    AuthModule,
    BodyModule,
    FlowsModule,
    RunModule,
    PlaysModule,
    PayloadsModule,
    BulkModule,
    ApisModule,
    ApprovalsModule,
    EventsModule,
    ChangesModule,
    DestinationsModule,
    KvModule,
    LanesModule,
    UsersModule,
    CompaniesModule,
    GroupsModule,
    ConfigAdminModule,
    JobsModule,
    RetentionModule,
    SchedulerModule,
    TriggersModule,
    OAuthModule,
    AccessModule,
    AuditModule,
    AnalyticsModule,
    ProcessesModule,
    QueueAdminModule,
    WebhooksModule,
    McpModule,
  ],
})
export class ApiModule {}
