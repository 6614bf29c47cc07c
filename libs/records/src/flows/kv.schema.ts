import { Schema } from 'mongoose';

export const KV_STORES = 'kv_stores';

/** How long an entry that has ended (expired, or deleted) is kept, unseen, for changes that are repeated after a crash. */
const KEPT_AFTER_END_SECONDS = 3_600;

/** One entry of a company's key-value store. */
export interface KvDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly key: string;
  /** A number as it is, so that it can be counted up in place; anything else as JSON text. Null: deleted. */
  readonly value: number | string | null;
  /** From then on it is not there. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  /** Also its version: each change is later than the one before, and what is made anew is later than what was there. */
  readonly updatedAt: Date;
  /** The last changes that layers made, so that one that is repeated counts once. */
  readonly recent: readonly KvChange[];
}

export interface KvChange {
  readonly once: string;
  readonly existed: boolean;
  /** What a count came to. */
  readonly value: number | null;
  /** Of the entry after this change; changes that 1.0 made have none. */
  readonly updatedAt?: Date;
}

export const kvSchema = new Schema<KvDocument>(
  { _id: String },
  { collection: KV_STORES, strict: false, versionKey: false },
);

// one entry of a company by its key, and those whose key begins with a text
kvSchema.index({ company_id: 1, key: 1 }, { unique: true });
// the list of a company, newest first
kvSchema.index({ company_id: 1, _id: -1 });
// retention: the entries of a company that were not written for long
kvSchema.index({ company_id: 1, updatedAt: 1 });
// retention by the default: of these, the entries that have a time to live
kvSchema.index(
  { company_id: 1, updatedAt: 1, _id: 1, expiresAt: 1 },
  { partialFilterExpression: { expiresAt: { $gt: new Date(0) } } },
);
kvSchema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_END_SECONDS });
