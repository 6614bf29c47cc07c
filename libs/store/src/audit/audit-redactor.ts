import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope } from '../scope.js';
import { AUDIT_LOGS, REDACT_AFTER_MS, type AuditDocument } from './audit.schema.js';
import { redactionOf } from './entry-proof.js';

const BATCH = 500;

/** Replaces the personal values of entries that are 30 days old, in the store: neither they nor what could prove a guess stays. */
export class AuditRedactor {
  constructor(private readonly mongo: Mongo) {}

  /**
   * All that is due, in batches; replicas may do it at once.
   *
   * @returns entries redacted
   */
  async redactDue(_scope: SystemScope): Promise<number> {
    const due = {
      'personal.salt': { $type: 'string' },
      timestamp: { $lt: new Date(this.mongo.serverNow() - REDACT_AFTER_MS) },
    } as mongo.Filter<AuditDocument>;
    const entries = this.mongo.collection<AuditDocument>(AUDIT_LOGS);
    for (let redacted = 0; ;) {
      const batch = await entries
        .find(due, { projection: { UserEmail: 1, UserIPAddress: 1, changes: 1 } })
        .sort({ timestamp: 1 })
        .limit(BATCH)
        .toArray();
      if (batch.length === 0) return redacted;
      await entries.bulkWrite(
        batch.map((entry) => ({ updateOne: { filter: { _id: entry._id }, update: { $set: redactionOf(entry) } } })),
        { ordered: false },
      );
      redacted += batch.length;
    }
  }
}
