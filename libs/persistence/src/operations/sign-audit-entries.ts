import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import { AUDIT_LOGS, UNSEALED, type AuditDocument } from '../audit/audit.schema.js';
import { proofOf, type AuditFacts } from '../audit/entry-proof.js';
import type { Migration } from './migration.js';

const AT_ONCE = 1_000;

/**
 * Entries from before there were signatures. It runs when nobody writes such entries any more, and only once: an unsigned entry
 * that turns up later stays what it is for the verifier, a forgery.
 */
export const signAuditEntries: Migration = {
  id: 'sign-audit-entries',
  phase: 'contract',
  what: 'Audit entries of versions that did not sign them are signed, and sealed like new ones.',
  batch: async (mongo, mark) => {
    const walked = await entriesOf(mongo)
      .find(mark === null ? {} : { _id: { $gt: mark } })
      .sort({ _id: 1 })
      .limit(AT_ONCE)
      .toArray();
    const unsigned = walked.filter(({ mac }) => mac === undefined);
    if (unsigned.length > 0) {
      await entriesOf(mongo).bulkWrite(
        unsigned.map((entry) => ({ updateOne: signing(mongo, entry) })),
        { ordered: false },
      );
    }
    const last = walked.at(-1);
    return { changed: unsigned.length, next: last && walked.length === AT_ONCE ? last._id : null };
  },
};

function entriesOf(mongo: Mongo): mongo.Collection<StoredEntry> {
  return mongo.collection<StoredEntry>(AUDIT_LOGS);
}

type StoredEntry = AuditFacts & Partial<Pick<AuditDocument, 'mac' | 'personal' | 'seal'>>;

function signing(mongo: Mongo, entry: StoredEntry) {
  const { personal, mac } = proofOf({ ...entry, adopted: true }, mongo.auditKey);
  return {
    filter: { _id: entry._id, mac: { $exists: false } } as mongo.Filter<StoredEntry>,
    update: { $set: { adopted: true as const, personal, mac, seal: UNSEALED } },
  };
}
