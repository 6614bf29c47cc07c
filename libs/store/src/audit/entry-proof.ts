/** What an entry's signature covers, and how its personal values enter it: as salted hashes, which outlive the values. */
import { createHmac, randomBytes } from 'node:crypto';
import { sign, type AuditKey, type Signature, type SignatureChecker } from './audit-key.js';
import {
  REDACT_AFTER_MS,
  REDACTED,
  type AuditChange,
  type AuditDocument,
  type PersonalHashes,
} from './audit.schema.js';

export type AuditFacts = Omit<AuditDocument, 'personal' | 'mac' | 'seal'>;

const SALT_BYTES = 16;
/** Redaction may be found this much before its time: clocks differ. */
const SLACK_MS = 60_000;
/** Fields among the changes whose values are of the same kind as `UserEmail` and `UserIPAddress`. */
const PERSONAL_CHANGE = /e-?mail|ip_?address/i;
const IN_CHANGES = 'changes.';

/** What is stored with a new entry as its proof. */
export function proofOf(facts: AuditFacts, key: AuditKey): Pick<AuditDocument, 'personal' | 'mac'> {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const personal = { salt, hashes: hashesOf(facts, salt) };
  return { personal, mac: sign(key, signedParts(facts, personal)) };
}

/** Whether an entry is as it was written, but for a redaction that was due. */
export async function entryHolds(entry: AuditDocument, checker: SignatureChecker, nowMs: number): Promise<boolean> {
  if (!isWhole(entry) || !personalHolds(entry, nowMs)) return false;
  const signature: Signature = await checker.check(entry.mac, signedParts(entry, entry.personal));
  return signature === 'holds';
}

/** Of the kinds that the signature is made of; somebody with another tool may have stored anything. */
function isWhole({ mac, timestamp, changes, personal }: AuditDocument): boolean {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  return (
    typeof mac === 'string' &&
    timestamp instanceof Date &&
    isObject(changes) &&
    Object.values(changes).every(isObject) &&
    isObject(personal) &&
    isObject(personal.hashes) &&
    (personal.salt === null || typeof personal.salt === 'string')
  );
}

/** An entry without the personal values that are not to be shown any more, whether they are gone from the store or not. */
export function withoutPersonal<Entry extends AuditFacts>(entry: Entry, nowMs: number): Entry {
  if (nowMs - entry.timestamp.getTime() <= REDACT_AFTER_MS) return entry;
  return { ...entry, ...redactedValues(entry) };
}

/** The fields to set on an entry so that its personal values are gone; null stays null. */
export function redactionOf(entry: Redactable): object {
  return { ...redactedValues(entry), 'personal.salt': null };
}

type Redactable = Pick<AuditDocument, 'UserEmail' | 'UserIPAddress' | 'changes'>;

function redactedValues(entry: Redactable): Redactable {
  const changes = Object.fromEntries(
    Object.entries(entry.changes).map(([field, { before, after }]) => [
      field,
      PERSONAL_CHANGE.test(field) ? { before: marked(before), after: marked(after) } : { before, after },
    ]),
  );
  return {
    UserEmail: marked(entry.UserEmail),
    UserIPAddress: marked(entry.UserIPAddress),
    changes,
  };
}

function marked(value: unknown): string | null {
  return value === null || value === undefined ? null : REDACTED;
}

function personalHolds(entry: AuditDocument, nowMs: number): boolean {
  const { salt, hashes } = entry.personal;
  if (salt !== null) return canonical(hashesOf(entry, salt)) === canonical(hashes);
  const parts = personalParts(entry);
  return (
    entry.timestamp.getTime() <= nowMs - REDACT_AFTER_MS + SLACK_MS &&
    canonical(Object.keys(hashes).sort()) === canonical([...parts.keys()].sort()) &&
    [...parts.values()].every(isMarked)
  );
}

function isMarked(value: unknown): boolean {
  if (typeof value === 'object' && value !== null && 'before' in value && 'after' in value) {
    return [value.before, value.after].every((one) => one === null || one === REDACTED);
  }
  return value === REDACTED;
}

function hashesOf(facts: AuditFacts, salt: string): Record<string, string> {
  return Object.fromEntries(
    [...personalParts(facts)].map(([name, value]) => [
      name,
      createHmac('sha256', Buffer.from(salt, 'base64url'))
        .update(canonical([name, value]))
        .digest('base64url'),
    ]),
  );
}

function personalParts({ UserEmail, UserIPAddress, changes }: AuditFacts): Map<string, unknown> {
  const parts = new Map<string, unknown>();
  if (UserEmail !== null) parts.set('UserEmail', UserEmail);
  if (UserIPAddress !== null) parts.set('UserIPAddress', UserIPAddress);
  for (const [field, change] of Object.entries<AuditChange>(changes)) {
    if (PERSONAL_CHANGE.test(field)) parts.set(`${IN_CHANGES}${field}`, change);
  }
  return parts;
}

function signedParts(facts: AuditFacts, { hashes }: PersonalHashes): unknown[] {
  const changes = Object.entries(facts.changes).filter(([field]) => !PERSONAL_CHANGE.test(field));
  return [
    'entry',
    facts._id,
    facts.action_type,
    facts.collection,
    facts.company_id,
    facts.entries_deleted,
    facts.duration_ms,
    facts.timestamp.getTime(),
    facts.UserID,
    facts.resource_type,
    facts.resource_id,
    facts.request_id,
    facts.outcome,
    facts.reason,
    canonical(Object.fromEntries(changes)),
    canonical(hashes),
  ];
}

/** One text for a value, before it is stored and after it was read: MongoDB keeps no undefined, and order of names says nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (inner === undefined) return null;
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
