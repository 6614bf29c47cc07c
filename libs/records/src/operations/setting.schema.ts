import { Schema } from 'mongoose';

export const SETTINGS_COLLECTION = 'settings';

/** What the whole installation keeps once: markers, and values changed at run time. Found by `_id` alone. */
export interface SettingDocument {
  readonly _id: string;
  readonly value: unknown;
  readonly at: Date;
}

export const settingSchema = new Schema<SettingDocument>(
  {
    _id: { type: String, required: true },
    value: { type: Schema.Types.Mixed, default: null },
    at: { type: Date, required: true },
  },
  { collection: SETTINGS_COLLECTION, minimize: false, versionKey: false },
);
