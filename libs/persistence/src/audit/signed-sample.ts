import type { Mongo } from '../driver/mongo.js';
import type { SystemScope } from '../scope.js';
import { SignatureChecker, type AuditKeys } from './audit-key.js';
import { AUDIT_LOGS, type AuditDocument } from './audit.schema.js';
import { entryHolds } from './entry-proof.js';

/** Of the newest entries of all companies: how many are signed with a key that can be had, and how many are not. */
export async function compareNewestEntries(
  mongo: Mongo,
  _scope: SystemScope,
  keys: AuditKeys,
  limit: number,
): Promise<{ readonly holding: number; readonly failing: number }> {
  const signed = await mongo
    .collection<AuditDocument>(AUDIT_LOGS)
    .find({ mac: { $exists: true } })
    .sort({ _id: -1 })
    .limit(limit)
    .toArray();
  const checker = new SignatureChecker(keys);
  let holding = 0;
  for (const entry of signed) if (await entryHolds(entry, checker, mongo.serverNow())) holding += 1;
  return { holding, failing: signed.length - holding };
}
