export { MAJORITY, Mongo, SOCKET_TIMEOUT_MS, type MongoOptions, type SnapshotRead } from './driver/mongo.js';
export { AbandonedTransactions } from './driver/abandoned-transactions.js';
export { lookFor, type Look } from './driver/looks.js';
export { PLAY_LOOKS } from './plays/scans/play-looks.js';
export { isTimeOver } from './driver/time-over.js';
export { isDuplicateKey, unlessTaken } from './driver/duplicate-key.js';
export { UnsuitableMongo } from './driver/unsuitable-mongo.js';
export { SystemScope, TenantScope } from './scope.js';
export { AUDIT_ACTIONS, type AuditAction } from './audit/audit-actions.js';
export {
  AUDIT_KEYS,
  AUDIT_CHAINS,
  AUDIT_SEALS,
  auditChainSchema,
  auditKeySchema,
  auditSealSchema,
  chainOf,
  type AuditChain,
  type StoredAuditKey,
} from './audit/audit-chain.schema.js';
export { AuditCountsRepository, AUDIT_COUNTS, auditCountsSchema } from './audit/audit-counts.js';
export { AuditCutter } from './audit/audit-cutter.js';
export { deriveAuditKey, type AuditKey, type AuditKeys } from './audit/audit-key.js';
export { withoutPersonal, type AuditFacts } from './audit/entry-proof.js';
export { AuditRedactor } from './audit/audit-redactor.js';
export { AuditSealer } from './audit/audit-sealer.js';
export { AuditVerifier, type AuditVerdict } from './audit/audit-verifier.js';
export { AuditRepository, type AuditFilter, type AuditLog } from './audit/audit.repository.js';
export { AUDIT_LOGS, auditSchema, UNSEALED, type AuditChange, type AuditDocument } from './audit/audit.schema.js';
export { recordAlone, recordAudit, type AuditEntryInput } from './audit/record-audit.js';
export { meansSecret } from './audit/without-secrets.js';
export {
  CHANGE_BATCHES,
  changeBatchSchema,
  type ChangeBatchDocument,
  type PlayChangeRange,
} from './changes/change-batch.schema.js';
export { CHANGE_FEEDS, changeFeedSchema, type ChangeFeedDocument } from './changes/change-feed.schema.js';
export { EventPlaysRepository, type EventPlay } from './changes/event-plays.repository.js';
export { ChangeFeedsRepository } from './changes/change-feeds.repository.js';
export { ChangeLog } from './changes/change-log.js';
export { ChangeSequencer, FIRST_LIVE, PASS_WITHIN_MS } from './changes/change-sequencer.js';
export { TOTAL_CAP, countWithin, findPage, toPageOf, type PageOf, type PageRequest } from './driver/paging.js';
export {
  PAYLOAD_CHUNKS,
  PAYLOAD_FILES,
  payloadChunkSchema,
  payloadFileSchema,
  type PayloadOwner,
} from './plays/payloads/payload.schema.js';
export type { KnownFile, UploadedFile } from './plays/payloads/file.store.js';
export { PayloadStore } from './plays/payloads/payload.store.js';
export { isStoreUnavailable } from './driver/store-unavailable.js';
export { MongoPlayStore, type MongoPlayStoreOptions } from './plays/write/mongo-play-store.js';
export {
  PLAYS,
  playSchema,
  DUE,
  dueUntil,
  QUEUES,
  READY,
  STOPPED_LANES,
  AT_STOPPED_LANE,
  FIRST_MOVE_TO_RUN,
  WAITS_FOR_ROOM,
} from './plays/play.schema.js';
export {
  PlayJournalRepository,
  RESULTS_PER_READ,
  type JournalRead,
  type StoredJournal,
  type UnreadJournal,
  type StoredEnd,
  type StoredSeq,
  type WatchedPlay,
} from './plays/reads/play-journal.repository.js';
export {
  ApprovalInboxRepository,
  isInboxKey,
  type InboxFilter,
  type InboxRow,
} from './plays/reads/approval-inbox.repository.js';
export { emailKey, isEmailAddress } from './audit/email-key.js';
export { FailedPlaysRepository, type PendingFailure } from './plays/scans/failed-plays.repository.js';
export {
  ChildPlaysRepository,
  type LayerPlace,
  type ParentPlay,
  type StartedItem,
  type StartedPlay,
  type StartingLayer,
  type StartingPlay,
} from './plays/scans/child-plays.repository.js';
export { firstOf, RetriesRepository, openChains, type RetryLink } from './plays/scans/retries.repository.js';
export { EndedPlaysRepository, type EndedPlay } from './plays/scans/ended-plays.repository.js';
export { isDocumentTooLarge } from './driver/document-too-large.js';
export { OpenPlaysRepository, type HeartbeatMark, type SilentPage } from './plays/scans/open-plays.repository.js';
export type { FailedWrite, OpenPlayChange, WriteOutcomes } from './plays/write/open-play-writes.js';
export { jobOf, playKeyOf } from './plays/play-keys.js';
export type { Reached } from './plays/scans/queue-order.js';
export { WindowPlaysRepository } from './plays/scans/window-plays.repository.js';
export { LaneReads, type LaneHead, type LaneNow, type LaneWaiter } from './plays/reads/lane-reads.js';
export { inQueue, orderIn, type QueueKey } from './plays/reads/queues.js';
export { TurnRepository, turnTaken } from './plays/write/turn.repository.js';
export { PlaysAheadRepository } from './plays/reads/plays-ahead.repository.js';
export { bytesOfPlays } from './plays/reads/bytes-of-plays.js';
export { isEndKey } from './plays/reads/page-by-end.js';
export type { FlowChoice, PlayFilter } from './plays/reads/play-query.js';
export {
  PlayReadsRepository,
  type PlayHead,
  type ReadJournal,
  type StateCount,
} from './plays/reads/play-reads.repository.js';
export { PlayCommandsRepository, type PlayToCancel } from './plays/write/play-commands.repository.js';
export {
  PlayMovesRepository,
  type MovedPlay,
  type MovesMark,
  type MovesPage,
} from './plays/reads/play-moves.repository.js';
export { WaitChainRepository, type Blocker, type WaitLink } from './plays/reads/wait-chain.repository.js';
export {
  WaitingPlaysRepository,
  type WaitingFilter,
  type WaitingPlay,
} from './plays/reads/waiting-plays.repository.js';
export { takeTurn } from './driver/in-turn.js';
export { FILE_USES, fileUseSchema } from './plays/payloads/file-use.schema.js';
export { readInPortions } from './driver/read-in-portions.js';
