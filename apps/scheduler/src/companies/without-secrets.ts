import type { mongo } from 'mongoose';
import { INTEGRATIONS, SEALED_COLLECTIONS, TRIGGERS, USERS } from '@weft/records';

/** What else of a document opens something, or means something in this installation alone. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  [USERS]: ['password_hash', 'password_given', 'operator', 'last_activity'],
  [TRIGGERS]: ['token_hash', 'listen_until', 'sample'],
  [INTEGRATIONS]: ['RefreshLease', 'RefreshBy'],
};

/** The document as it leaves the installation. */
export function withoutSecrets(collection: string, document: mongo.Document): mongo.Document {
  const sealed = SEALED_COLLECTIONS.find((each) => each.collection === collection)?.fields ?? [];
  const left = new Set([...sealed, ...(OTHERS[collection] ?? [])]);
  return Object.fromEntries(Object.entries(document).filter(([field]) => !left.has(field)));
}
