export { MAJORITY, Mongo, SOCKET_TIMEOUT_MS, type MongoOptions } from './driver/mongo.js';
export { UnsuitableMongo } from './driver/unsuitable-mongo.js';
export { SystemScope, TenantScope } from './scope.js';
export { AUDIT_ACTIONS, type AuditAction } from './audit/audit-actions.js';
export { AUDIT_KEYS, type AuditChain, type StoredAuditKey } from './audit/audit-chain.schema.js';
export { AuditCountsRepository } from './audit/audit-counts.js';
export { AuditCutter } from './audit/audit-cutter.js';
export { deriveAuditKey, type AuditKey, type AuditKeys } from './audit/audit-key.js';
export { withoutPersonal, type AuditFacts } from './audit/entry-proof.js';
export { AuditRedactor } from './audit/audit-redactor.js';
export { AuditSealer } from './audit/audit-sealer.js';
export { AuditVerifier, type AuditVerdict } from './audit/audit-verifier.js';
export { AuditRepository, type AuditFilter, type AuditLog } from './audit/audit.repository.js';
export { AUDIT_LOGS, type AuditChange, type AuditDocument } from './audit/audit.schema.js';
export { recordAudit, type AuditEntryInput } from './audit/record-audit.js';
export { meansSecret } from './audit/without-secrets.js';
export { setValidators, validationOf } from './driver/collection-validators.js';
export {
  COLLECTIONS,
  COLLECTIONS_OF_PLAYS,
  ensureIndexes,
  OTHER_COLLECTIONS,
  VALIDATED_COLLECTIONS,
} from './driver/collections.js';
export { BACKUP_FORMAT, type BackupManifest } from './backup/backup-format.js';
export type { BackupKeys } from './backup/backup-keys.js';
export { verifyBackup } from './backup/backup-reader.js';
export { BackupWriter, fileTarget, type BackupTarget } from './backup/backup-writer.js';
export { copyDatabase } from './backup/copy-database.js';
export { restoreDatabase } from './backup/restore-database.js';
export { assertNotRestoring, lookAtTarget } from './backup/restore-mark.js';
export { Diagnosis, type DatabaseFacts, type ServerFacts } from './operations/diagnosis.js';
export { CHANGE_BATCHES, type ChangeBatchDocument, type PlayChangeRange } from './changes/change-batch.schema.js';
export type { ChangeFeedDocument } from './changes/change-feed.schema.js';
export { EventPlaysRepository, type EventPlay } from './changes/event-plays.repository.js';
export { ChangeFeedsRepository } from './changes/change-feeds.repository.js';
export { ChangeLog } from './changes/change-log.js';
export { ChangeSequencer, FIRST_LIVE, PASS_WITHIN_MS } from './changes/change-sequencer.js';
export { FlowVersionRepository, type FlowVersionHead } from './flows/flow-version.repository.js';
export { FLOW_VERSIONS, type FlowVersionDocument } from './flows/flow-version.schema.js';
export { TestCaseRepository } from './flows/test-case.repository.js';
export { TEST_CASES, type TestCaseDocument } from './flows/test-case.schema.js';
export type { FlowChoice, FlowVisibility } from './flows/flow-visibility.js';
export { quantileOf, type DurationBuckets } from './operations/duration-buckets.js';
export { StatsCounters, type CountedFlow } from './operations/stats-counters.js';
export { StatsRepository, type StatsPeriod } from './operations/stats.repository.js';
export { SPANS, type Span } from './operations/stats.schema.js';
export { OpenWorkRepository, waitingSince, type OpenWork } from './operations/open-work.repository.js';
export { sumOf, type Tally } from './operations/tally.js';
export { FlowGroupRepository } from './flows/flow-group.repository.js';
export { FLOW_GROUPS, type FlowGroupDocument } from './flows/flow-group.schema.js';
export { FlowRepository, type FlowFilter, type FlowHead, type FlowToolChoice } from './flows/flow.repository.js';
export type { TestCasesChange } from './flows/put-test-cases.js';
export { contentAt, type RunnableContent, type RunnableRow } from './flows/runnable-flow.js';
export { isPublishedByHand, publishedVersionAfter, publishedVersionOf } from './flows/publication.js';
export { FLOWS, type FlowDocument, type FlowJudgement } from './flows/flow.schema.js';
export type { GrantAuthor } from './people/grant-audit.js';
export { GrantRepository, type GrantFilter, type GrantRow } from './people/grant.repository.js';
export { GrantSubjects } from './people/grant-subjects.js';
export { GRANTS, type GrantDocument } from './people/grant.schema.js';
export { DATA_LEVEL, Migrations } from './operations/migrations.js';
export { ProcessLevels } from './operations/process-levels.js';
export { KvRepository, type Counted, type KvEntry } from './flows/kv.repository.js';
export { KV_STORES, type KvDocument } from './flows/kv.schema.js';
export type { PageOf, PageRequest } from './driver/paging.js';
export type { PayloadOwner } from './plays/payload.schema.js';
export type { KnownFile, UploadedFile } from './plays/file.store.js';
export { PayloadStore } from './plays/payload.store.js';
export { isStoreUnavailable } from './driver/store-unavailable.js';
export { MongoPlayStore, type MongoPlayStoreOptions } from './plays/mongo-play-store.js';
export { PLAYS } from './plays/play.schema.js';
export {
  PlayJournalRepository,
  RESULTS_PER_READ,
  type JournalRead,
  type StoredJournal,
  type UnreadJournal,
  type StoredEnd,
  type StoredSeq,
  type WatchedPlay,
} from './plays/play-journal.repository.js';
export { ApiKeyRepository } from './people/api-key.repository.js';
export { API_KEYS, type ApiKeyDocument } from './people/api-key.schema.js';
export { CompanyRepository } from './people/company.repository.js';
export { COMPANIES, type CompanyDocument } from './people/company.schema.js';
export { provision, isProvisioned } from './people/provision.js';
export {
  ApprovalInboxRepository,
  isInboxKey,
  type InboxFilter,
  type InboxRow,
} from './plays/approval-inbox.repository.js';
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
export type { Sweep, SweepPreview, SweepStep } from './retention/sweep.js';
export { SessionRepository } from './people/session.repository.js';
export { SESSIONS, type SessionDocument, type SignInProof } from './people/session.schema.js';
export { RunTimeSettings } from './operations/run-time-settings.js';
export { SETTINGS_COLLECTION, type SettingDocument } from './operations/setting.schema.js';
export { emailKey, isEmailAddress } from './people/email-key.js';
export { GroupRepository } from './people/group.repository.js';
export { GROUPS, type GroupDocument } from './people/group.schema.js';
export { ONE_TIME_LINKS, type OneTimeLinkDocument } from './people/one-time-link.schema.js';
export { MembershipRepository, type MemberChange } from './people/membership.repository.js';
export { PasswordRepository } from './people/password.repository.js';
export { openMembershipIn, membershipIn, stateIn, type UserState } from './people/membership-in.js';
export type { WaysIn, WaysToEnd } from './people/ways-in.js';
export { UserRepository, type UserFilter } from './people/user.repository.js';
export { USERS, type CompanyRole, type UserDocument } from './people/user.schema.js';
export { FailedPlaysRepository, type PendingFailure } from './plays/failed-plays.repository.js';
export {
  ChildPlaysRepository,
  type EndedChild,
  type LayerPlace,
  type ParentPlay,
} from './plays/child-plays.repository.js';
export { firstOf, RetriesRepository, type RetryLink, type RetryOfPlay } from './plays/retries.repository.js';
export {
  LoopChildrenRepository,
  type LoopKey,
  type LoopParent,
  type StartedItem,
} from './plays/loop-children.repository.js';
export { EndedPlaysRepository, type EndedPlay } from './plays/ended-plays.repository.js';
export { isDocumentTooLarge } from './driver/document-too-large.js';
export { OpenPlaysRepository, type HeartbeatMark, type SilentPage } from './plays/open-plays.repository.js';
export { type FailedWrite, type OpenPlayChange, type WriteOutcomes } from './plays/open-play-writes.js';
export { playKeyOf } from './plays/play-keys.js';
export type { Reached } from './plays/queue-order.js';
export { WindowPlaysRepository } from './plays/window-plays.repository.js';
export { LaneReads, type LaneHead, type LaneNow, type LaneWaiter } from './plays/lane-reads.js';
export { inQueue, orderIn, type QueueKey } from './plays/queues.js';
export { TurnRepository, turnTaken } from './plays/turn.repository.js';
export { PlaysAheadRepository } from './plays/plays-ahead.repository.js';
export { isEndKey } from './plays/page-by-end.js';
export type { PlayFilter } from './plays/play-query.js';
export {
  PlayReadsRepository,
  type PlayHead,
  type ReadJournal,
  type StateCount,
} from './plays/play-reads.repository.js';
export {
  IntegrationRepository,
  type IntegrationVisibility,
  type LinkPlace,
} from './integrations/integration.repository.js';
export { INTEGRATIONS, linkUse, type IntegrationDocument } from './integrations/integration.schema.js';
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
export { PlayCommandsRepository, type PlayToCancel } from './plays/play-commands.repository.js';
export { PlayMovesRepository, type MovedPlay, type MovesMark, type MovesPage } from './plays/play-moves.repository.js';
export { WaitChainRepository, type Blocker, type WaitLink } from './plays/wait-chain.repository.js';
export { WaitingPlaysRepository, type WaitingFilter, type WaitingPlay } from './plays/waiting-plays.repository.js';
export { ScheduleFiringRepository, type Settlement, type TakenSlots } from './schedules/schedule-firing.repository.js';
export { ScheduleRepository } from './schedules/schedule.repository.js';
export { runsOf, toLastRun } from './schedules/scheduled-plays.js';
export {
  SCHEDULES,
  type LastRun,
  type PendingSlot,
  type ScheduleDocument,
  type ScheduleFields,
} from './schedules/schedule.schema.js';
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
  DELIVERY_OUTCOMES,
  TRIGGER_DELIVERIES,
  type DeliveryOutcome,
  type TriggerBodyDocument,
  type TriggerDeliveryDocument,
} from './triggers/trigger-delivery.schema.js';
export { TriggerRepository } from './triggers/trigger.repository.js';
export {
  TRIGGERS,
  type DedupeRule,
  type StoredVerifier,
  type TriggerDocument,
  type TriggerFields,
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
export { PersistenceModule } from './persistence.module.js';
