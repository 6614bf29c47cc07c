export { setValidators, validationOf } from './database/collection-validators.js';
export {
  COLLECTIONS,
  COLLECTIONS_OF_PLAYS,
  ensureIndexes,
  OTHER_COLLECTIONS,
  VALIDATED_COLLECTIONS,
  companyFilter,
  EXPORTED,
} from './database/collections.js';
export { BACKUP_FORMAT, type BackupManifest } from './backup/backup-format.js';
export type { BackupKeys } from './backup/backup-keys.js';
export { verifyBackup } from './backup/backup-reader.js';
export { BackupWriter, fileTarget, type BackupTarget } from './backup/backup-writer.js';
export { copyDatabase } from './backup/copy-database.js';
export { restoreDatabase } from './backup/restore-database.js';
export { assertNotRestoring, lookAtTarget } from './backup/restore-mark.js';
export { Diagnosis, type DatabaseFacts, type ServerFacts } from './operations/diagnosis.js';
export { FlowVersionRepository, type FlowVersionHead } from './flows/flow-version.repository.js';
export { FLOW_VERSIONS, type FlowVersionDocument } from './flows/flow-version.schema.js';
export { SampleRepository } from './flows/sample.repository.js';
export { FLOW_SAMPLES, type SampleDocument } from './flows/sample.schema.js';
export { TestCaseRepository } from './flows/test-case.repository.js';
export { TEST_CASES, type TestCaseDocument } from './flows/test-case.schema.js';
export type { FlowVisibility } from './flows/flow-visibility.js';
export { quantileOf, type DurationBuckets } from './operations/duration-buckets.js';
export { LayerCounters, type EndedLayer, type LayerTally } from './operations/layer-counters.js';
export { diskShareOf, newestBackupOf } from './operations/store-fill.js';
export { sumOfUsage, UsageCounters, type UsageTally } from './operations/usage-counters.js';
export { StatsCounters, type CountedFlow } from './operations/stats-counters.js';
export { StatsRepository, type StatsPeriod } from './operations/stats.repository.js';
export { SPANS, type Span } from './operations/stats.schema.js';
export { OpenWorkRepository, waitingSince, type OpenWork } from './operations/open-work.repository.js';
export { sumOf, type Tally } from './operations/tally.js';
export { FlowGroupRepository } from './flows/flow-group.repository.js';
export { FLOW_GROUPS, type FlowGroupDocument } from './flows/flow-group.schema.js';
export {
  FlowRepository,
  type FlowFilter,
  type FlowHead,
  type FlowToolChoice,
  type NamedFlow,
} from './flows/flow.repository.js';
export type { TestCasesChange } from './flows/put-test-cases.js';
export { contentAt, type RunnableContent, type RunnableRow } from './flows/runnable-flow.js';
export { isPublishedByHand, publishedVersionAfter, publishedVersionOf } from './flows/publication.js';
export { FLOWS, type FlowDocument, type FlowJudgement } from './flows/flow.schema.js';
export type { GrantAuthor } from './people/grant-audit.js';
export { GrantRepository, type GrantFilter, type GrantRow } from './people/grant.repository.js';
export { GrantSubjects } from './people/grant-subjects.js';
export { GRANTS, type GrantDocument } from './people/grant.schema.js';
export { MIGRATIONS } from './operations/catalog.js';
export { DATA_LEVEL, Migrations } from './operations/migrations.js';
export { UpgradeOutlook, type IndexAhead, type MigrationAhead } from './operations/upgrade-outlook.js';
export { RunningProcesses, type ProcessSign } from './operations/running-processes.js';
export type { HealthProbeDocument } from './operations/health-probe.schema.js';
export { KvRepository, type Counted, type KvEntry } from './flows/kv.repository.js';
export {
  KeptEventsRepository,
  type AwaitedEvent,
  type EventPlace,
  type OpenEvent,
} from './events/kept-events.repository.js';
export { KEPT_EVENTS, type KeptEventDocument } from './events/kept-event.schema.js';
export { KV_STORES, type KvDocument } from './flows/kv.schema.js';
export { ApiKeyRepository } from './people/api-key.repository.js';
export { API_KEYS, type ApiKeyDocument } from './people/api-key.schema.js';
export { COMPANY_RULES, CompanyRepository } from './people/company.repository.js';
export { COMPANIES, type CompanyDocument } from './people/company.schema.js';
export { provision, isProvisioned } from './people/provision.js';
export { BulkRepository, type BulkTurn, type NewBulk } from './operations/bulk.repository.js';
export { BULK_STATES, BULKS, type BulkDocument, type BulkState, type BulkTally } from './operations/bulk.schema.js';
export { JobRepository, type JobClaim, type JobOutcome } from './operations/job.repository.js';
export { JOBS, type JobDocument } from './operations/job.schema.js';
export { LEASES, type LeaseDocument } from './operations/lease.schema.js';
export { LeasesRepository, type Lease } from './operations/leases.repository.js';
export { RetentionPlan } from './retention/retention-plan.js';
export { RetentionPolicyRepository } from './retention/retention-policy.repository.js';
export { RETENTION_POLICIES, type RetentionPolicyDocument } from './retention/retention-policy.schema.js';
export { SweepPositions } from './retention/sweep-positions.js';
export type { PlaysLeft, Sweep, SweepPreview, SweepStep } from './retention/sweep.js';
export { SessionRepository } from './people/session.repository.js';
export { SESSIONS, type SessionDocument, type SignInProof } from './people/session.schema.js';
export { RunTimeSettings } from './operations/run-time-settings.js';
export { SETTINGS_COLLECTION, type SettingDocument } from './operations/setting.schema.js';
export { GroupRepository } from './people/group.repository.js';
export { GROUPS, type GroupDocument } from './people/group.schema.js';
export { ONE_TIME_LINKS, type OneTimeLinkDocument } from './people/one-time-link.schema.js';
export { MembershipRepository, type MemberChange } from './people/membership.repository.js';
export { PasswordRepository } from './people/password.repository.js';
export { openMembershipIn, membershipIn, stateIn, type UserState } from './people/membership-in.js';
export type { WaysIn, WaysToEnd } from './people/ways-in.js';
export { UserRepository, type UserFilter } from './people/user.repository.js';
export { USERS, type CompanyRole, type UserDocument } from './people/user.schema.js';
export {
  IntegrationRepository,
  type AuthorizedResource,
  type IntegrationVisibility,
  type LinkPlace,
  type NamedLink,
} from './integrations/integration.repository.js';
export { INTEGRATIONS, linkUse, type IntegrationDocument } from './integrations/integration.schema.js';
export { OperationFaces, readFaceKey, serverOf } from './apis/operation-faces.js';
export {
  ApiImportsRepository,
  type Compared,
  type ImportTurn,
  type OperationMark,
} from './apis/api-imports.repository.js';
export { ApiOperationRepository, type OperationHead, type StoredOperation } from './apis/api-operation.repository.js';
export { ApiRepository, type ApiFound, type ApiHead } from './apis/api.repository.js';
export {
  API_STATES,
  APIS,
  factsOf,
  type ApiDocument,
  type ApiKind,
  type ApiSource,
  type RefreshOutcome,
  type StoredDifference,
} from './apis/api.schema.js';
export { API_OPERATIONS, apiOperationId, type ApiOperationDocument } from './apis/api-operation.schema.js';
export { SecretCheckRepository } from './operations/secret-check.repository.js';
export { SECRET_CHECKS } from './operations/secret-check.schema.js';
export { SEALED_COLLECTIONS, SealedFieldsRepository } from './integrations/sealed-fields.js';
export type { TokenFields } from './integrations/token-fields.js';
export { TokenRecords, type TokenRecord } from './integrations/token-records.js';
export { ExternalIdentityRepository } from './people/external-identity.repository.js';
export { EXTERNAL_IDENTITIES, type ExternalIdentityDocument } from './people/external-identity.schema.js';
export { OAuthLoginRepository } from './people/oauth-login.repository.js';
export { OAUTH_LOGINS, type OAuthLoginDocument, type OAuthPurpose } from './people/oauth-login.schema.js';
export { OAuthProviderRepository } from './integrations/oauth-provider.repository.js';
export { OAUTH_PROVIDERS, type OAuthProviderDocument } from './integrations/oauth-provider.schema.js';
export { ScheduleFiringRepository, type Settlement, type TakenSlots } from './schedules/schedule-firing.repository.js';
export { ScheduleRepository } from './schedules/schedule.repository.js';
export { runsOf, toLastRun } from './schedules/scheduled-plays.js';
export { SCHEDULES, type LastRun, type PendingSlot, type ScheduleDocument } from './schedules/schedule.schema.js';
export { DestinationHealthRepository } from './destinations/destination-health.repository.js';
export { DestinationRepository, type DestinationChange } from './destinations/destination.repository.js';
export { DestinationWalkRepository, type DestinationStep } from './destinations/destination-walk.repository.js';
export {
  DESTINATION_STATES,
  DESTINATIONS,
  type DestinationDocument,
  type DestinationState,
} from './destinations/destination.schema.js';
export { TriggerDeliveriesRepository, type DeliveryLimits } from './triggers/trigger-deliveries.repository.js';
export {
  TRIGGER_BODIES,
  DELIVERY_OUTCOMES,
  TRIGGER_DELIVERIES,
  type DeliveryOutcome,
  type TriggerBodyDocument,
  type TriggerDeliveryDocument,
} from './triggers/trigger-delivery.schema.js';
export { SourceTriggersRepository, type ReadingNews } from './triggers/source-triggers.repository.js';
export { TriggerRepository } from './triggers/trigger.repository.js';
export {
  READING_STATES,
  TRIGGERS,
  type DedupeRule,
  type PendingMessages,
  type ReadingState,
  type ShardReading,
  type StoredVerifier,
  type TriggerDocument,
  type TriggerFields,
  type TriggerReadingState,
  type TriggerSample,
} from './triggers/trigger.schema.js';
export {
  DELIVERY_KEPT_MS,
  WebhookDeliveriesRepository,
  type AttemptResult,
  type DueDelivery,
  type PendingCounts,
} from './webhooks/webhook-deliveries.repository.js';
export {
  DELIVERY_STATES,
  WEBHOOK_DELIVERIES,
  type DeliveryAttempt,
  type DeliveryDocument,
  type DeliveryState,
} from './webhooks/webhook-delivery.schema.js';
export { WebhookOutboxesRepository } from './webhooks/webhook-outboxes.repository.js';
export type { OutboxDocument } from './webhooks/webhook-outbox.schema.js';
export { WebhookReplaysRepository } from './webhooks/webhook-replays.repository.js';
export { REPLAY_STATES, type ReplayDocument, type ReplayState } from './webhooks/webhook-replay.schema.js';
export { WebhookRepository } from './webhooks/webhook.repository.js';
export { WEBHOOKS, type WebhookDocument } from './webhooks/webhook.schema.js';
export { CompanyEraser, ERASED } from './companies/company-eraser.js';
export {
  COMPANY_JOB_KINDS,
  COMPANY_JOB_STATES,
  COMPANY_JOBS,
  type CompanyCounts,
  type CompanyJobDocument,
  type CompanyJobKind,
  type CompanyJobState,
  type LeftToGive,
} from './companies/company-job.schema.js';
export { CompanyJobsRepository } from './companies/company-jobs.repository.js';
export { RecordsModule } from './records.module.js';
export { readFlowLimit } from './flows/flow-limit.js';
