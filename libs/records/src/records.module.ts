import { ProcessCache } from '@weft/concurrency';
import { Global, Module, type FactoryProvider } from '@nestjs/common';
import {
  AuditRepository,
  Mongo,
  ApprovalInboxRepository,
  ChildPlaysRepository,
  FailedPlaysRepository,
  PlayJournalRepository,
  PlayMovesRepository,
  PlayReadsRepository,
  WaitingPlaysRepository,
  RetriesRepository,
} from '@weft/store';
import { ApiOperationRepository } from './apis/api-operation.repository.js';
import { ApiRepository } from './apis/api.repository.js';
import { OperationFaces } from './apis/operation-faces.js';
import { DestinationHealthRepository } from './destinations/destination-health.repository.js';
import { DestinationRepository } from './destinations/destination.repository.js';
import { CompanyJobsRepository } from './companies/company-jobs.repository.js';
import { FlowGroupRepository } from './flows/flow-group.repository.js';
import { FlowVersionRepository } from './flows/flow-version.repository.js';
import { FlowRepository } from './flows/flow.repository.js';
import { KeptEventsRepository } from './events/kept-events.repository.js';
import { KvRepository } from './flows/kv.repository.js';
import { SampleRepository } from './flows/sample.repository.js';
import { TestCaseRepository } from './flows/test-case.repository.js';
import { IntegrationRepository } from './integrations/integration.repository.js';
import { OAuthProviderRepository } from './integrations/oauth-provider.repository.js';
import { StatsRepository } from './operations/stats.repository.js';
import { BulkRepository } from './operations/bulk.repository.js';
import { JobRepository } from './operations/job.repository.js';
import { OpenWorkRepository } from './operations/open-work.repository.js';
import { ApiKeyRepository } from './people/api-key.repository.js';
import { CompanyRepository } from './people/company.repository.js';
import { ExternalIdentityRepository } from './people/external-identity.repository.js';
import { GrantSubjects } from './people/grant-subjects.js';
import { GrantRepository } from './people/grant.repository.js';
import { GroupRepository } from './people/group.repository.js';
import { MembershipRepository } from './people/membership.repository.js';
import { OAuthLoginRepository } from './people/oauth-login.repository.js';
import { PasswordRepository } from './people/password.repository.js';
import { SessionRepository } from './people/session.repository.js';
import { UserRepository } from './people/user.repository.js';
import { RetentionPolicyRepository } from './retention/retention-policy.repository.js';
import { TriggerDeliveriesRepository } from './triggers/trigger-deliveries.repository.js';
import { TriggerRepository } from './triggers/trigger.repository.js';
import { ScheduleRepository } from './schedules/schedule.repository.js';

/** Those that need nothing but the connection. */
const REPOSITORIES = [
  ApiKeyRepository,
  ApiOperationRepository,
  ApiRepository,
  ApprovalInboxRepository,
  AuditRepository,
  BulkRepository,
  ChildPlaysRepository,
  FailedPlaysRepository,
  CompanyJobsRepository,
  CompanyRepository,
  DestinationHealthRepository,
  DestinationRepository,
  ExternalIdentityRepository,
  StatsRepository,
  FlowGroupRepository,
  FlowRepository,
  FlowVersionRepository,
  GrantRepository,
  GrantSubjects,
  GroupRepository,
  IntegrationRepository,
  JobRepository,
  KeptEventsRepository,
  KvRepository,
  MembershipRepository,
  OAuthLoginRepository,
  OAuthProviderRepository,
  OpenWorkRepository,
  PasswordRepository,
  PlayJournalRepository,
  PlayMovesRepository,
  PlayReadsRepository,
  RetentionPolicyRepository,
  RetriesRepository,
  SampleRepository,
  ScheduleRepository,
  SessionRepository,
  TriggerDeliveriesRepository,
  TriggerRepository,
  UserRepository,
  WaitingPlaysRepository,
] as const;

const PROVIDERS: FactoryProvider[] = [
  ...REPOSITORIES.map((Repository) => ({
    provide: Repository,
    inject: [Mongo],
    useFactory: (mongo: Mongo) => new Repository(mongo),
  })),
  {
    provide: TestCaseRepository,
    inject: [Mongo, ProcessCache],
    useFactory: (mongo: Mongo, cache: ProcessCache) => new TestCaseRepository(mongo, cache),
  },
  {
    provide: OperationFaces,
    inject: [ApiRepository, ApiOperationRepository],
    useFactory: (apis: ApiRepository, operations: ApiOperationRepository) => new OperationFaces(apis, operations),
  },
];

/**
 * Each repository once a process. It expects `Mongo` and `ProcessCache` from the process. Repositories of the run path that
 * serve all companies have a scope that names their reason, and are provided where they are used.
 */
@Global()
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class RecordsModule {}
