import { randomInt } from 'node:crypto';
import { createIdSource, type NewId } from '@weft/kernel';
import type { ClientSession } from 'mongoose';
import { Mongo } from '../driver/mongo.js';
import type { AuditAction } from './audit-actions.js';
import type { AuditKey } from './audit-key.js';
import { AUDIT_LOGS, UNSEALED, type AuditChange, type AuditDocument } from './audit.schema.js';
import { proofOf, type AuditFacts } from './entry-proof.js';
import { withoutSecrets } from './without-secrets.js';

/** What the caller of `recordAudit` knows. A field that is left out is null; `outcome` defaults to `success`. */
export interface AuditEntryInput {
  readonly action_type: AuditAction;
  readonly collection: string;
  /** Null when the company is unknown, e.g. a failed sign-in of an unknown account. */
  readonly company_id: string | null;
  readonly UserID?: string | null;
  readonly UserEmail?: string | null;
  readonly UserIPAddress?: string | null;
  readonly resource_type?: string | null;
  readonly resource_id?: string | null;
  readonly request_id?: string | null;
  readonly outcome?: 'success' | 'failure';
  readonly reason?: string | null;
  /** Values under names that mean a secret are replaced before they are stored. */
  readonly changes?: Readonly<Record<string, AuditChange>>;
  readonly duration_ms?: number | null;
  readonly entries_deleted?: number | null;
  /** Unique in the company: a second entry with it is refused as a duplicate key. */
  readonly once?: string;
}

const SOURCES = new WeakMap<Mongo, NewId>();

/**
 * Writes entries in the transaction of the change that they record: both are stored, or neither.
 *
 * @param session of `Mongo.transaction`
 */
export async function recordAudit(session: ClientSession, ...entries: readonly AuditEntryInput[]): Promise<void> {
  if (entries.length === 0) return;
  const mongo = Mongo.of(session);
  await entriesOf(mongo).insertMany(documentsOf(mongo, entries), { session });
}

/** Writes the entry of what changes no document: one insert, since a process that dies within a transaction holds up others for a while. */
export async function recordAlone(mongo: Mongo, entry: AuditEntryInput): Promise<void> {
  await entriesOf(mongo).insertMany(documentsOf(mongo, [entry]));
}

function entriesOf(mongo: Mongo) {
  return mongo.collection<AuditDocument>(AUDIT_LOGS);
}

function documentsOf(mongo: Mongo, entries: readonly AuditEntryInput[]): AuditDocument[] {
  const timestamp = new Date(mongo.serverNow());
  return entries.map((entry) => toDocument(entry, idsOf(mongo)(), timestamp, mongo.auditKey));
}

/** Their times are MongoDB's, as those of the entries: cached totals are of all ids up to a time of that clock. */
function idsOf(mongo: Mongo): NewId {
  let source = SOURCES.get(mongo);
  if (!source) {
    source = createIdSource(() => Math.floor(mongo.serverNow()), randomInt(2 ** 32));
    SOURCES.set(mongo, source);
  }
  return source;
}

function toDocument(entry: AuditEntryInput, _id: string, timestamp: Date, key: AuditKey): AuditDocument {
  const facts: AuditFacts = {
    _id,
    action_type: entry.action_type,
    collection: entry.collection,
    company_id: entry.company_id,
    entries_deleted: entry.entries_deleted ?? null,
    duration_ms: entry.duration_ms ?? null,
    timestamp,
    UserID: entry.UserID ?? null,
    UserEmail: entry.UserEmail ?? null,
    UserIPAddress: entry.UserIPAddress ?? null,
    resource_type: entry.resource_type ?? null,
    resource_id: entry.resource_id ?? null,
    request_id: entry.request_id ?? null,
    outcome: entry.outcome ?? 'success',
    reason: entry.reason ?? null,
    changes: withoutSecrets(entry.changes ?? {}) as Record<string, AuditChange>,
  };
  return { ...facts, ...proofOf(facts, key), seal: UNSEALED, ...(entry.once !== undefined && { once: entry.once }) };
}
