import { Schema } from 'mongoose';

export const FILE_USES = 'file_uses';

/** A play refers to a file in its args, or in an answer that it was given. It needs the file as long as it is kept itself. */
export interface FileUse {
  /** `<file id>.<play id>`. */
  readonly _id: string;
  readonly company_id: string;
  readonly playId: string;
  /**
   * When it was noted, by MongoDB's clock: before the play was inserted. Removed once it was checked whether the play was
   * inserted.
   */
  readonly newAt?: Date;
}

/** The play is gone: its uses go next. */
export interface GonePlay {
  /** `gone.<play id>`. */
  readonly _id: string;
  readonly company_id: string;
  readonly playId: string;
  readonly gone: true;
  /** Files of which uses are being removed: each is looked at for others. */
  readonly files?: readonly string[];
}

export const fileUseSchema = new Schema<FileUse & Partial<GonePlay>>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    playId: { type: String, required: true },
    newAt: Date,
    gone: Boolean,
    files: { type: [String], default: undefined },
  },
  { collection: FILE_USES, versionKey: false },
);

// All files of a play, to let go of them after the play.
fileUseSchema.index({ company_id: 1, playId: 1 });

// Those of plays that may never have been inserted.
fileUseSchema.index(
  { company_id: 1, newAt: 1 },
  { name: 'new', partialFilterExpression: { newAt: { $exists: true } } },
);

// Plays that are gone: hardly ever many.
fileUseSchema.index({ company_id: 1, _id: 1 }, { name: 'gone', partialFilterExpression: { gone: true } });
