import type { mongo } from 'mongoose';
import { recordAudit, unlessTaken, type AuditEntryInput, type Mongo, type SystemScope } from '@weft/store';
import { SECRET_CHECKS, type SecretCheckDocument } from './secret-check.schema.js';

const _id = 'installation';

export class SecretCheckRepository {
  constructor(private readonly mongo: Mongo) {}

  /** The encrypted texts; null when there are no records yet. */
  async find(_scope: SystemScope): Promise<readonly string[] | null> {
    return (await this.checks().findOne({ _id }))?.sealed ?? null;
  }

  /** False when another process was first. */
  insert(_scope: SystemScope, sealed: readonly string[]): Promise<boolean> {
    return unlessTaken(this.checks().insertOne({ _id, sealed }));
  }

  /** False when they are not `before` any more. */
  async replace(_scope: SystemScope, before: readonly string[], after: readonly string[]): Promise<boolean> {
    const { matchedCount } = await this.checks().updateOne(
      { _id, sealed: [...before] },
      { $set: { sealed: [...after] } },
    );
    return matchedCount === 1;
  }

  /** Whatever was there before. */
  async overwrite(_scope: SystemScope, sealed: string, entry: AuditEntryInput): Promise<void> {
    await this.mongo.transaction(async (session) => {
      await this.checks().updateOne({ _id }, { $set: { sealed: [sealed] } }, { upsert: true, session });
      await recordAudit(session, entry);
    });
  }

  private checks(): mongo.Collection<SecretCheckDocument> {
    return this.mongo.collection<SecretCheckDocument>(SECRET_CHECKS);
  }
}
