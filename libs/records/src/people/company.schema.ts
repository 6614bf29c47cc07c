import { Schema } from 'mongoose';

export const COMPANIES = 'companies';

/** A tenant. Found by its id alone, so it has no index of its own. */
export interface CompanyDocument {
  readonly _id: string;
  readonly name: string;
  /** False: nobody can act in it, by session or by key. */
  readonly active: boolean;
  readonly created_at: Date;
  /** It is being erased, and never resumed. */
  readonly erasing?: true;
  /** How many of its plays may wait; absent or null: as many as `RUN_BACKLOG_MAX` says. */
  readonly backlog_max?: number | null;
  /** How many runs it may start in a second; absent or null: any number. */
  readonly runs_per_second?: number | null;
  /** How many bytes of plays, files and large values it may store; absent or null: any number. */
  readonly bytes_max?: number | null;
  /** The workers with this label execute its plays, and no others; absent or null: those without one. */
  readonly worker_label?: string | null;
  /** Its files and large values when they were measured last; absent: they were not yet. */
  readonly stored?: { readonly bytes: number; readonly at: Date };
  /** The same of its plays, and when they are measured again. */
  readonly stored_plays?: { readonly bytes: number; readonly at: Date; readonly again_at: Date };
  /**
   * Incremented whenever an admin is removed: of two such changes in parallel the second one fails, and checks again who is
   * left.
   */
  readonly admins_lost?: number;
  /** Incremented with each change of a destination that calls of its flows depend on. */
  readonly destinations_rev?: number;
}

export const companySchema = new Schema<CompanyDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    active: { type: Boolean, required: true },
    created_at: { type: Date, required: true },
    erasing: { type: Boolean },
    backlog_max: { type: Number, default: null },
    runs_per_second: { type: Number, default: null },
    bytes_max: { type: Number, default: null },
    worker_label: { type: String, default: null },
    stored: { type: Schema.Types.Mixed },
    stored_plays: { type: Schema.Types.Mixed },
    admins_lost: { type: Number },
    destinations_rev: { type: Number },
  },
  { collection: COMPANIES, versionKey: false },
);
