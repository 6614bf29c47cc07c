import type { RetentionCollection } from '@weft/retention';
import { Schema } from 'mongoose';

export const RETENTION_STATES = 'retention_states';

/** What the cleaner knows of one company between its steps and runs. */
export interface RetentionStateDocument {
  /** The company's id; `-` for what belongs to no company. */
  readonly _id: string;
  /** Deleted and not yet told by an audit entry. Counted in the transaction of each deletion. */
  readonly pending?: Partial<Readonly<Record<RetentionCollection, number>>>;
  /** When an audit entry last told of the collection. */
  readonly told?: Partial<Readonly<Record<RetentionCollection, Date>>>;
  /** The last run that deleted something: when it began, and how much. */
  readonly last?: { readonly run: Date; readonly deleted: number };
  /** Plays up to this id have been looked at for their layers; those that could not go yet are `layersLeft`. */
  readonly layersDoneTo?: string;
  readonly layersLeft?: readonly string[];
}

export const retentionStateSchema = new Schema(
  { _id: String },
  { collection: RETENTION_STATES, strict: false, versionKey: false },
);
