import type { RetentionCollection } from '@weft/retention';
import { Schema } from 'mongoose';

export const RETENTION_STATES = 'retention_states';

/** What the cleaner knows of one company between its steps and runs. */
export interface RetentionStateDocument {
  /** The company's id; `-` for what belongs to no company. */
  readonly _id: string;
  /** Deleted and not yet reported by an audit entry. Counted in the transaction of each deletion. */
  readonly pending?: Partial<Readonly<Record<RetentionCollection, number>>>;
  /** When an audit entry last reported the collection. */
  readonly told?: Partial<Readonly<Record<RetentionCollection, Date>>>;
  /** The last run that deleted something: when it began, and how much. */
  readonly last?: { readonly run: Date; readonly deleted: number };
  /** Plays up to this id have been looked at for their layers; those that could not go yet are `layersLeft`. */
  readonly layersDoneTo?: string;
  readonly layersLeft?: readonly string[];
  /** Plays after this id are looked at once more, from here, because `layersLeft` had no room for one. */
  readonly layersAgainFrom?: string | null;
  /** When that happens at the latest; null: the walk has not come to its end yet. */
  readonly layersAgainAt?: Date | null;
}

export const retentionStateSchema = new Schema<RetentionStateDocument>(
  {
    _id: { type: String, required: true },
    pending: Schema.Types.Mixed,
    told: Schema.Types.Mixed,
    last: Schema.Types.Mixed,
    layersDoneTo: String,
    layersLeft: { type: [String], default: undefined },
    layersAgainFrom: String,
    layersAgainAt: Date,
  },
  { collection: RETENTION_STATES, versionKey: false },
);
