export { MAJORITY, Mongo, SOCKET_TIMEOUT_MS, type MongoOptions } from './mongo.js';
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
export { ensureIndexes } from './collections.js';
export { decideAdmissions } from './flow-gate/decide-admissions.js';
export { FlowGateRepository, type FlowGate, type FlowKey } from './flow-gate/flow-gate.repository.js';
export { FlowVersionRepository, type FlowVersionHead } from './flow-version/flow-version.repository.js';
export { FLOW_VERSIONS, type FlowVersionDocument } from './flow-version/flow-version.schema.js';
export { TestCaseRepository } from './test-case/test-case.repository.js';
export { TEST_CASES, type TestCaseDocument } from './test-case/test-case.schema.js';
export type { FlowChoice, FlowVisibility } from './flow/flow-visibility.js';
export { quantileOf, type DurationBuckets } from './figure/duration-buckets.js';
export { FigureCounters, type CountedFlow } from './figure/figure-counters.js';
export { FigureRepository, type FigureWindow } from './figure/figure.repository.js';
export { SPANS, type Span } from './figure/figure.schema.js';
export { OpenWorkRepository, waitingSince, type OpenWork } from './figure/open-work.repository.js';
export { sumOf, type Tally } from './figure/tally.js';
export { FlowGroupRepository } from './flow-group/flow-group.repository.js';
export { FLOW_GROUPS, type FlowGroupDocument } from './flow-group/flow-group.schema.js';
export { FlowRepository, type FlowFilter, type FlowHead, type RunnableRow } from './flow/flow.repository.js';
export { FLOWS, type FlowDocument, type FlowJudgement } from './flow/flow.schema.js';
export { approximateBytes } from './cache/approximate-bytes.js';
export { ProcessCache, type CacheView } from './cache/process-cache.js';
export { FreshReads } from './fresh-reads.js';
export { FRESH_MS, RefreshAhead } from './refresh-ahead.js';
export type { GrantAuthor } from './grant/grant-audit.js';
export { GrantRepository, type GrantFilter, type GrantRow } from './grant/grant.repository.js';
export { GrantSubjects } from './grant/grant-subjects.js';
export { GRANTS, type GrantDocument } from './grant/grant.schema.js';
export { DATA_LEVEL, Migrations } from './migration/migrations.js';
export { ProcessLevels } from './migration/process-levels.js';
export { KvRepository, type Counted, type KvEntry } from './kv/kv.repository.js';
export { KV_STORES, type KvDocument } from './kv/kv.schema.js';
export type { PageOf, PageRequest } from './paging.js';
export type { PayloadOwner } from './payload/payload.schema.js';
export { PayloadStore } from './payload/payload.store.js';
export { isStoreUnavailable } from './store-unavailable.js';
export { GroupCommit, type BatchOutcome, type GroupCommitOptions } from './group-commit.js';
export { MongoPlayStore, type MongoPlayStoreOptions } from './play/mongo-play-store.js';
export { PLAYS } from './play/play.schema.js';
export {
  PlayJournalRepository,
  RESULTS_PER_READ,
  type JournalRead,
  type StoredJournal,
  type StoredSeq,
  type WatchedPlay,
} from './play/play-journal.repository.js';
export { ApiKeyRepository } from './api-key/api-key.repository.js';
export { API_KEYS, type ApiKeyDocument } from './api-key/api-key.schema.js';
export { CompanyRepository } from './company/company.repository.js';
export { COMPANIES, type CompanyDocument } from './company/company.schema.js';
export { found, isFounded } from './company/founding.js';
export { JobRepository, type JobClaim, type JobOutcome } from './job/job.repository.js';
export { JOBS, type JobDocument } from './job/job.schema.js';
export { RetentionPlan } from './retention/retention-plan.js';
export { RetentionPolicyRepository } from './retention/retention-policy.repository.js';
export { RETENTION_POLICIES, type RetentionPolicyDocument } from './retention/retention-policy.schema.js';
export type { Sweep, SweepPreview, SweepStep } from './retention/sweep.js';
export { SessionRepository } from './session/session.repository.js';
export { SESSIONS, type SessionDocument, type SignInProof } from './session/session.schema.js';
export { RunTimeSettings } from './setting/run-time-settings.js';
export { SETTINGS_COLLECTION, type SettingDocument } from './setting/setting.schema.js';
export { emailKey, isEmailAddress } from './user/email-key.js';
export { GroupRepository } from './group/group.repository.js';
export { GROUPS, type GroupDocument } from './group/group.schema.js';
export { ONE_TIME_LINKS, type OneTimeLinkDocument } from './one-time-link/one-time-link.schema.js';
export { MembershipRepository, type MemberChange } from './user/membership.repository.js';
export { PasswordRepository } from './user/password.repository.js';
export { openPlaceIn, placeIn, stateIn, type UserState } from './user/place.js';
export type { WaysIn, WaysToEnd } from './user/ways-in.js';
export { UserRepository, type UserFilter } from './user/user.repository.js';
export { USERS, type CompanyRole, type UserDocument } from './user/user.schema.js';
export { ChildPlaysRepository, type ParentPlay, type UntoldPlay } from './play/child-plays.repository.js';
export { EndedPlaysRepository, type EndedPlay } from './play/ended-plays.repository.js';
export { isDocumentTooLarge } from './document-too-large.js';
export { OpenPlaysRepository, type WaitingAfter } from './play/open-plays.repository.js';
export { type FailedWrite, type OpenPlayChange, type WriteOutcomes } from './play/open-play-writes.js';
export { keyOf } from './play/play-keys.js';
export { WindowPlaysRepository } from './play/window-plays.repository.js';
export { PlayReadsRepository, type PlayFilter, type PlayHead } from './play/play-reads.repository.js';
export { IntegrationRepository, type IntegrationVisibility } from './integration/integration.repository.js';
export { INTEGRATIONS, type IntegrationDocument } from './integration/integration.schema.js';
export { compareNewestEntries } from './audit/signed-sample.js';
export { SecretCheckRepository } from './secret-check/secret-check.repository.js';
export { SECRET_CHECKS } from './secret-check/secret-check.schema.js';
export { SEALED_COLLECTIONS, SealedFieldsRepository } from './integration/sealed-fields.js';
export type { TokenFields } from './integration/token-fields.js';
export { TokenRecords, type TokenRecord } from './integration/token-records.js';
export { ExternalIdentityRepository } from './oauth-login/external-identity.repository.js';
export { EXTERNAL_IDENTITIES, type ExternalIdentityDocument } from './oauth-login/external-identity.schema.js';
export { OAuthLoginRepository } from './oauth-login/oauth-login.repository.js';
export { OAUTH_LOGINS, type OAuthLoginDocument, type OAuthPurpose } from './oauth-login/oauth-login.schema.js';
export { OAuthProviderRepository } from './oauth-provider/oauth-provider.repository.js';
export { OAUTH_PROVIDERS, type OAuthProviderDocument } from './oauth-provider/oauth-provider.schema.js';
export { PlayCommandsRepository, type CommandedPlay } from './play/play-commands.repository.js';
export { PlayMovesRepository, type MovedPlay, type MovesMark, type MovesPage } from './play/play-moves.repository.js';
export { WaitingPlaysRepository, type WaitingFilter, type WaitingPlay } from './play/waiting-plays.repository.js';
export { ScheduleFiringRepository, type Settlement, type TakenSlots } from './schedule/schedule-firing.repository.js';
export { ScheduleRepository } from './schedule/schedule.repository.js';
export { runsOf, toLastRun } from './schedule/scheduled-plays.js';
export {
  SCHEDULES,
  type LastRun,
  type PendingSlot,
  type ScheduleDocument,
  type ScheduleFields,
} from './schedule/schedule.schema.js';
