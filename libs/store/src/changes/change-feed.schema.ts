import { Schema } from 'mongoose';

export const CHANGE_FEEDS = 'change_feeds';

/** How far the change log of a company is: ADR 66. A company has one from the first time that somebody reads its changes. */
export interface ChangeFeedDocument {
  /** The company. */
  readonly _id: string;
  /** Part of every cursor, so that a cursor of another company's log, or of a log from before a restored backup, is refused. */
  readonly tag: string;
  /** Everything that moved before this time of MongoDB's clock is in the log. */
  readonly scannedTo: Date;
  /** The last play that the walk over all kept plays has looked at. */
  readonly walkedTo: string;
  /** False until the first walk is over: until then the log takes over what was stored before it existed. */
  readonly complete: boolean;
  /** When the changes were last read; a feed that nobody reads is not kept up. */
  readonly usedAt: Date;
}

export const changeFeedSchema = new Schema<ChangeFeedDocument>(
  {
    _id: { type: String, required: true },
    tag: { type: String, required: true },
    scannedTo: { type: Date, required: true },
    walkedTo: { type: String, default: '' },
    complete: { type: Boolean, required: true },
    usedAt: { type: Date, required: true },
  },
  { collection: CHANGE_FEEDS, versionKey: false },
);

// feeds that somebody reads, which schedulers keep up
changeFeedSchema.index({ usedAt: 1 });
