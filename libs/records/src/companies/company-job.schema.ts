import { Schema } from 'mongoose';

export const COMPANY_JOBS = 'company_jobs';

export const COMPANY_JOB_KINDS = ['export', 'import', 'erasure'] as const;
export type CompanyJobKind = (typeof COMPANY_JOB_KINDS)[number];
export const COMPANY_JOB_STATES = ['running', 'done', 'failed'] as const;
export type CompanyJobState = (typeof COMPANY_JOB_STATES)[number];

/** Documents by collection. */
export type CompanyCounts = Readonly<Record<string, number>>;

/** What an import leaves to be given: names, by kind. */
export type LeftToGive = Readonly<Record<string, readonly string[]>>;

/** Something that an operator does with a whole company. It belongs to the installation: it outlives the company that it erases. */
export interface CompanyJobDocument {
  readonly _id: string;
  readonly kind: CompanyJobKind;
  readonly state: CompanyJobState;
  /** The company that it is about: of an import, the one that it makes. */
  readonly about: string;
  readonly name: string;
  readonly requested_by: { readonly user_id: string; readonly email: string; readonly company_id: string };
  readonly created_at: Date;
  readonly completed_at: Date | null;
  /** What was erased, exported or imported so far. Of an erasure counted in the transactions that delete. */
  readonly counts: CompanyCounts;
  /** How often it was begun. */
  readonly attempts: number;
  /** Why it failed. */
  readonly error: string | null;
  /** Id of the file of an export, or of the one that an import reads; of the company of who asked for it. */
  readonly file: string | null;
  readonly left_to_give: LeftToGive;
  /** Of an erasure: when it looks once more for what was written late. */
  readonly look_again_at: Date | null;
}

/** Those that have ended are deleted after this time. */
const KEPT_SECONDS = 90 * 24 * 3_600;

export const companyJobSchema = new Schema<CompanyJobDocument>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true, enum: COMPANY_JOB_KINDS },
    state: { type: String, required: true, enum: COMPANY_JOB_STATES },
    about: { type: String, required: true },
    name: { type: String, required: true },
    requested_by: { type: Schema.Types.Mixed, required: true },
    created_at: { type: Date, required: true },
    completed_at: { type: Date, default: null },
    counts: { type: Schema.Types.Mixed, required: true },
    attempts: { type: Number, required: true },
    error: { type: String, default: null },
    file: { type: String, default: null },
    left_to_give: { type: Schema.Types.Mixed, required: true },
    look_again_at: { type: Date, default: null },
  },
  { collection: COMPANY_JOBS, minimize: false, versionKey: false },
);

// those that run, the oldest first; a company has one erasure at a time
companyJobSchema.index({ state: 1, _id: 1 });
companyJobSchema.index(
  { about: 1 },
  { name: 'erasure', unique: true, partialFilterExpression: { kind: 'erasure', state: 'running' } },
);
companyJobSchema.index({ completed_at: 1 }, { expireAfterSeconds: KEPT_SECONDS });
