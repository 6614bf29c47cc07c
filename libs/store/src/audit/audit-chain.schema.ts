import { Schema } from 'mongoose';

export const AUDIT_SEALS = 'audit_seals';
export const AUDIT_CHAINS = 'audit_chains';
export const AUDIT_KEYS = 'audit_keys';

/** One batch of entries of a company, in order of their ids. Never changed; retention deletes it with its last entry. */
export interface AuditSeal {
  /** `<chain>:<n>` */
  readonly _id: string;
  readonly chain: string;
  /** From 1, without gaps. */
  readonly n: number;
  /** `seal` of the one before, '' for the first. */
  readonly previous: string;
  readonly entries: readonly { readonly id: string; readonly mac: string }[];
  readonly sealedAt: Date;
  /** Signature over all of the above. */
  readonly seal: string;
}

/** How far retention has deleted: all seals up to `n` and the first `into` entries of the next seal. */
export interface AuditCut {
  readonly n: number;
  readonly into: number;
  /** `seal` of the last deleted one, '' when none was deleted. The first remaining seal must name it as its `previous`. */
  readonly seal: string;
}

/** The head and the checkpoint of one company's seals. */
export interface AuditChain {
  readonly _id: string;
  /** Number and `seal` of the newest. */
  readonly n: number;
  readonly seal: string;
  readonly cut: AuditCut;
  /** The number before which this record or its seals were tampered with; null once retention has passed it. */
  readonly brokenAt: number | null;
  /** Signature over all of the above. */
  readonly mac: string;
}

/** An audit key for the time after its secret is gone, encrypted as every stored secret. */
export interface StoredAuditKey {
  readonly _id: string;
  readonly key: string;
}

/**
 * The name of a company's chain. Entries that belong to no company (sign-ins of unknown accounts) have a chain of their own.
 */
export function chainOf(companyId: string | null): string {
  return companyId === null ? 'installation' : `company:${companyId}`;
}

const options = { versionKey: false } as const;

export const auditSealSchema = new Schema<AuditSeal>(
  {
    _id: { type: String, required: true },
    chain: { type: String, required: true },
    n: { type: Number, required: true },
    previous: { type: String, required: true },
    entries: { type: [Schema.Types.Mixed], required: true },
    sealedAt: { type: Date, required: true },
    seal: { type: String, required: true },
  },
  { ...options, collection: AUDIT_SEALS },
);
// Each number has one seal; verification reads a chain in this order.
auditSealSchema.index({ chain: 1, n: 1 }, { unique: true });

export const auditChainSchema = new Schema<AuditChain>(
  {
    _id: { type: String, required: true },
    n: { type: Number, required: true },
    seal: { type: String, required: true },
    cut: { type: Schema.Types.Mixed, required: true },
    brokenAt: { type: Number, default: null },
    mac: { type: String, required: true },
  },
  { ...options, collection: AUDIT_CHAINS },
);

export const auditKeySchema = new Schema<StoredAuditKey>(
  { _id: { type: String, required: true }, key: { type: String, required: true } },
  { ...options, collection: AUDIT_KEYS },
);
